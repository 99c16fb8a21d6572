#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""How far `weir sim` is off from the runs that it simulates: a table by program, memory, strategy and workers.

sim_agreement.py BUILD [--only TEXT] [--rounds N] [--keep FILE] [--table]    BUILD: a build folder with weir, uts_ocr and cholesky_ocr

Each round traces a run of each cell, all cells in turns, and simulates each trace without options. A row has the median
of the real runs and by how much they differ from each other (largest less smallest, in percent of the median), the
median of what was predicted, and how far each prediction is off from its own run: the median of that. The same of
bytes. The limits are 10 % of time and 5 % of bytes. Beyond them `!` stands behind the number, or `~` when the median of
the predictions lies between the least and the most of the real runs: then these differ as much from each other. The
exit status is 1 when there is a `!`.
"""
import argparse
import json
import os
import pathlib
import statistics
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


def spread(values):
    """Largest less smallest, in percent of the median."""
    middle = statistics.median(values)
    return 100 * (max(values) - min(values)) / middle if middle else 0


def mark(beyond, real, predicted):
    if not beyond:
        return " "
    return "~" if min(real) <= statistics.median(predicted) <= max(real) else "!"


class Row:
    """What the rounds of a cell come to."""

    def __init__(self, cell, results):
        def of(key):
            return [result[key] for result in results]

        self.cell = cell
        self.wrong = [result for result in results if isinstance(result, str)]
        if self.wrong:
            return
        self.time = (statistics.median(of("traced_s")), spread(of("traced_s")), statistics.median(of("predicted_s")),
                     statistics.median(of("makespan_off_percent")))
        self.bytes = (statistics.median(of("traced_bytes_moved")) / 1e6, spread(of("traced_bytes_moved")),
                      statistics.median(of("bytes_moved")) / 1e6, statistics.median(of("bytes_off_percent")))
        moved = any(of("traced_bytes_moved"))
        bad_bytes = abs(self.bytes[3]) > BYTES_LIMIT or (not moved and any(of("bytes_moved")))
        self.time_mark = mark(abs(self.time[3]) > TIME_LIMIT, of("traced_s"), of("predicted_s"))
        self.bytes_mark = mark(bad_bytes, of("traced_bytes_moved"), of("bytes_moved"))

    def is_beyond(self):
        return bool(self.wrong) or "!" in (self.time_mark, self.bytes_mark)

    def is_noise(self):
        return not self.is_beyond() and "~" in (self.time_mark, self.bytes_mark)

    def text(self):
        c = self.cell
        label = f"{c.program:<10} {c.memory:<9} {c.strategy:<8} {c.workers:>7}"
        if self.wrong:
            return f"{label}  {self.wrong[0]}"
        (real, width, predicted, off), (moved, moved_width, moved_predicted, moved_off) = self.time, self.bytes
        return (f"{label} {real:>8.4f} {width:>6.1f} {predicted:>9.4f} {off:>+6.1f}{self.time_mark} "
                f"{moved:>8.1f} {moved_width:>6.1f} {moved_predicted:>9.1f} {moved_off:>+6.1f}{self.bytes_mark}")

    def markdown(self):
        c = self.cell
        if self.wrong:
            return f"| {c.program} | {c.memory} | {c.strategy} | {c.workers} | {self.wrong[0]} |"
        (real, width, predicted, off), (moved, moved_width, moved_predicted, moved_off) = self.time, self.bytes
        return (f"| {c.program} | {c.memory} | {c.strategy} | {c.workers} | {real:.4f} | {width:.0f} % | {predicted:.4f} | "
                f"{off:+.1f} %{self.time_mark.strip()} | {moved:.1f} | {moved_width:.0f} % | {moved_predicted:.1f} | "
                f"{moved_off:+.1f} %{self.bytes_mark.strip()} |")


def run_rounds(arguments):
    chosen = [cell for cell in cells() if arguments.only in cell.name()]
    earlier = json.loads(arguments.keep.read_text()) if arguments.keep and arguments.keep.exists() else {}
    results = {cell.name(): earlier.get(cell.name(), []) for cell in chosen}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(arguments.rounds):
            for cell in chosen:
                results[cell.name()].append(measure(arguments.build, cell, pathlib.Path(folder)))
    if arguments.keep:
        arguments.keep.write_text(json.dumps({**earlier, **results}))
    return [Row(cell, results[cell.name()]) for cell in chosen]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="", help="cells whose name has this in it, such as 'matmul 2x'")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", type=pathlib.Path, help="a file with the results of earlier rounds, to which these are added")
    parser.add_argument("--table", action="store_true", help="in Markdown")
    arguments = parser.parse_args()
    rows = run_rounds(arguments)
    if arguments.table:
        print("| program | memory | strategy | workers | traced s | spread | predicted s | off | MB moved | spread | predicted | off |")
        print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    else:
        print(f"{'program':<10} {'memory':<9} {'strategy':<8} {'workers':>7} {'traced s':>8} {'+-%':>6} {'predicted':>9} {'off %':>7} "
              f"{'MB moved':>8} {'+-%':>6} {'predicted':>9} {'off %':>7}")
    for row in rows:
        print(row.markdown() if arguments.table else row.text())
    beyond, noise = sum(row.is_beyond() for row in rows), sum(row.is_noise() for row in rows)
    print(f"{'' if not arguments.table else chr(10)}{len(rows) - beyond - noise} of {len(rows)} cells within {TIME_LIMIT} % of time and "
          f"{BYTES_LIMIT} % of bytes; {noise} beyond, as far as real runs differ; {beyond} beyond that")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
