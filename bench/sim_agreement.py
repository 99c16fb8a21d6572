#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""How far `weir sim` is off from the runs that it simulates: a table by program, memory, strategy and workers.

sim_agreement.py BUILD [--only TEXT] [--repeat N]    BUILD: a build folder with weir, uts_ocr and cholesky_ocr

Each cell traces a run, simulates that trace without options, and says both times, how far the predicted one is off, and
the same of bytes moved; with --repeat of the run in the middle by how far off its time is. The limits are 10 % of
time and 5 % of bytes; the exit status is 1 when a cell is beyond them.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TIME_LIMIT, BYTES_LIMIT = 10, 5  # percent
RATIOS = {"resident": None, "2x": 2.0, "3.4x": 3.4}
SLOW = 0.25  # of memory's own bandwidth


def emulated(total, ratio):
    budget = int(total / ratio) // 4096 * 4096
    return f"memory={budget}B,emulated={2 * total}B@{SLOW}"


class Cell:
    def __init__(self, program, memory, strategy, workers):
        self.program, self.memory, self.strategy, self.workers = program, memory, strategy, workers

    def name(self):
        return f"{self.program} {self.memory} {self.strategy} {self.workers}"

    def command(self, build, trace):
        """The command, and the variables of its environment."""
        ratio, workers = RATIOS[self.memory], str(self.workers)
        variables = {"WEIR_WORKERS": workers}
        if self.program in ("stencil3d", "matmul"):
            variant = "weir-resident" if ratio is None else f"weir-{self.strategy}"
            command = [build / "tools/weir/weir", "run", "--trace", trace, self.program, "--variants", variant, "--workers", workers]
            if ratio is not None:
                command += ["--slow", f"emulated:{SLOW}", "--ratio", str(ratio)]
            return command + SIZES[self.program], {}
        if self.program == "seismic":
            command = [build / "tools/weir/weir", "run", "--trace", trace, "seismic", "--workers", workers, "--strategy", self.strategy]
            command += ["--tiers", f"memory={2 * SEISMIC_BYTES}B" if ratio is None else emulated(SEISMIC_BYTES, ratio)]
            return command + SIZES["seismic"], {}
        variables.update(WEIR_TRACE=str(trace), WEIR_STRATEGY=self.strategy)
        if self.program == "uts":
            return [build / "apps/uts/uts_ocr"] + SIZES["uts"], variables
        if ratio is not None:
            variables["WEIR_TIERS"] = emulated(CHOLESKY_BYTES, ratio)
        return [build / "apps/cholesky/cholesky_ocr"] + SIZES["cholesky"], variables


SIZES = {"stencil3d": ["--size", "256x256x512", "--iterations", "5", "--sweeps", "5"], "matmul": ["--size", "2048", "--tile", "256"],
         "seismic": ["--size", "2048", "--iterations", "32", "--repeat", "1", "--variants", "weir-blocks"],
         "uts": ["--tree", "T1"], "cholesky": ["--tiles", "16", "--tile", "128"]}
SEISMIC_BYTES = 6 * 8 * 2048 * 2048
CHOLESKY_BYTES = 16 * 17 // 2 * 128 * 128 * 8


def cells():
    for program in ("seismic", "stencil3d", "matmul", "cholesky", "uts"):
        for memory in RATIOS:
            if program == "uts" and memory != "resident":
                continue  # it has no blocks that live longer than an EDT
            for strategy in ("off", "ahead"):
                for workers in (1, 2):
                    yield Cell(program, memory, strategy, workers)


def measure(build, cell, folder):
    trace = folder / "t.weir"
    for old in folder.iterdir():
        old.unlink()
    command, variables = cell.command(build, trace)
    done = subprocess.run([str(word) for word in command], env={**os.environ, **variables}, capture_output=True, text=True)
    if done.returncode != 0 or not trace.exists():
        return f"cannot be run: {(done.stderr or done.stdout).strip().splitlines()[-1:]}"
    done = subprocess.run([str(build / "tools/weir/weir"), "sim", str(trace), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        return f"cannot be simulated: {done.stderr.strip()}"
    return json.loads(done.stdout)[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="", help="cells whose name has this in it, such as 'matmul 2x'")
    parser.add_argument("--repeat", type=int, default=1)
    arguments = parser.parse_args()
    beyond = 0
    print(f"{'program':<10} {'memory':<9} {'strategy':<8} {'workers':>7} {'traced s':>9} {'predicted':>9} {'off %':>7} "
          f"{'MB moved':>9} {'predicted':>9} {'off %':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for cell in cells():
            if arguments.only not in cell.name():
                continue
            results = [measure(arguments.build, cell, pathlib.Path(folder)) for _ in range(arguments.repeat)]
            wrong = [result for result in results if isinstance(result, str)]
            label = f"{cell.program:<10} {cell.memory:<9} {cell.strategy:<8} {cell.workers:>7}"
            if wrong:
                print(f"{label}  {wrong[0]}", flush=True)
                beyond += 1
                continue
            results.sort(key=lambda result: result["makespan_off_percent"])
            r = results[len(results) // 2]
            bad_time = abs(r["makespan_off_percent"]) > TIME_LIMIT
            bad_bytes = abs(r["bytes_off_percent"]) > BYTES_LIMIT or (r["traced_bytes_moved"] == 0) != (r["bytes_moved"] == 0)
            beyond += bad_time or bad_bytes
            print(f"{label} {r['traced_s']:>9.4f} {r['predicted_s']:>9.4f} {r['makespan_off_percent']:>+6.1f}{'!' if bad_time else ' '} "
                  f"{r['traced_bytes_moved'] / 1e6:>9.1f} {r['bytes_moved'] / 1e6:>9.1f} {r['bytes_off_percent']:>+6.1f}{'!' if bad_bytes else ' '}",
                  flush=True)
    print(f"{beyond} cells beyond {TIME_LIMIT} % of time or {BYTES_LIMIT} % of bytes")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
