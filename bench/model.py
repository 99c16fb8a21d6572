#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""The strategy `model` next to `ahead`, simulated on the same traces: where slow memory is slower by little, and by much.

model.py BUILD [--traces FOLDER] [--only TEXT] [--ratios LIST] [--slow LIST] [--table]

BUILD is a build folder with weir and cholesky_ocr. Each program is traced once for each number of workers, with all of its data in
memory, and `weir sim` predicts from that trace what either strategy takes: in fast memory that holds the data divided by each of
--ratios, with the rest in memory slowed down to each of --slow of memory's copy bandwidth. No other program's time is in it. With
--traces the traces are kept in FOLDER and found there the next time: two builds are compared on the same traces. A row has both times, their ratio,
the bytes that moved, and how long workers waited for them. `!` stands behind a ratio above 1.01. After the rows, for each program the geometric mean of the
ratios (least..most) and the bytes of all its rows. The exit status is 1 when a cell is above 1.01.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

LOSES = 1.01
PAGE = 4096
SIZES = {"stencil3d": ["--size", "256x256x512", "--iterations", "5", "--sweeps", "5"], "matmul": ["--size", "2048", "--tile", "256"],
         "seismic": ["--size", "2048", "--iterations", "32", "--repeat", "1", "--variants", "weir-blocks"],
         "cholesky": ["--tiles", "16", "--tile", "128"]}
BYTES = {"stencil3d": 318767104, "matmul": 3 * 8 * 2048**2, "seismic": 6 * 8 * 2048**2, "cholesky": 16 * 17 // 2 * 128**2 * 8}
PROGRAMS = ("seismic", "stencil3d", "stencil3d-naive", "matmul", "matmul-naive", "cholesky")
WORKERS = (1, 2)
STRATEGIES = ("ahead", "model")


def end_with(command, why):
    sys.exit(f"{' '.join(map(str, command))}\n{why}")


def record(build, program, workers, trace):
    """A run with all of its data in memory."""
    app = program.split("-")[0]
    variables = {"WEIR_WORKERS": str(workers)}
    if app == "cholesky":
        command = [build / "apps/cholesky/cholesky_ocr", *SIZES[app]]
        variables["WEIR_TRACE"] = str(trace)
    else:
        command = [build / "tools/weir/weir", "run", "--trace", trace, app, "--workers", workers, "--tiers", "memory=2GiB", *SIZES[app]]
        if app != "seismic":
            command += ["--variants", "weir-resident", "--order", "naive" if program.endswith("-naive") else "reuse"]
    done = subprocess.run([str(word) for word in command], env={**os.environ, **variables}, capture_output=True, text=True)
    if done.returncode != 0 or not trace.exists():
        end_with(command, done.stderr.strip() or done.stdout.strip())


def tiers_of(program, ratio, slow):
    total = BYTES[program.split("-")[0]]
    return f"memory={int(total / ratio) // PAGE * PAGE}B,emulated={2 * total}B@{slow}"


def simulate(build, trace, strategy, tiers):
    command = [str(build / "tools/weir/weir"), "sim", str(trace), "--json", "--strategy", strategy, "--tiers", tiers]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        end_with(command, done.stderr.strip())
    return json.loads(done.stdout)[0]


class Cell:
    def __init__(self, program, ratio, slow, workers):
        self.program, self.ratio, self.slow, self.workers = program, ratio, slow, workers
        self.results = {}

    def name(self):
        return f"{self.program} {self.ratio:g}x {self.slow:g} {self.workers}"

    def simulate(self, build, trace):
        tiers = tiers_of(self.program, self.ratio, self.slow)
        self.results = {strategy: simulate(build, trace, strategy, tiers) for strategy in STRATEGIES}

    def model_over_ahead(self):
        return self.results["model"]["predicted_s"] / self.results["ahead"]["predicted_s"]

    def loses(self):
        return self.model_over_ahead() > LOSES

    def numbers(self):
        ahead, model = (self.results[strategy] for strategy in STRATEGIES)
        return {"program": self.program, "ratio": f"{self.ratio:g}x", "slow": f"{self.slow:g}", "workers": str(self.workers),
                "ahead, ms": f"{1e3 * ahead['predicted_s']:.1f}", "model, ms": f"{1e3 * model['predicted_s']:.1f}",
                "model/ahead": f"{self.model_over_ahead():.3f}{'!' if self.loses() else ''}",
                "MB moved, ahead": f"{ahead['bytes_moved'] / 1e6:.0f}", "model": f"{model['bytes_moved'] / 1e6:.0f}",
                "waited, ms, ahead": f"{1e3 * ahead['data_wait_s']:.0f}", "model ": f"{1e3 * model['data_wait_s']:.0f}"}


def simulate_all(arguments, folder):
    cells = []
    for program in PROGRAMS:
        for workers in WORKERS:
            chosen = [Cell(program, ratio, slow, workers) for ratio in arguments.ratios for slow in arguments.slow]
            chosen = [cell for cell in chosen if arguments.only in cell.name()]
            trace = folder / f"{program}-{workers}.weir"
            if chosen and not trace.exists():
                record(arguments.build, program, workers, trace)
            for cell in chosen:
                cell.simulate(arguments.build, trace)
            cells += chosen
    return cells


def print_table(cells, markdown):
    rows = [cell.numbers() for cell in cells]
    head = list(rows[0])
    lines = [head] + [[row[column] for column in head] for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    for number, line in enumerate(lines):
        if markdown:
            print("| " + " | ".join(word.strip() for word in line) + " |")
            if number == 0:
                print("|" + "---|" * len(line))
        else:
            print("  ".join(word.rjust(width) if i > 0 else word.ljust(width) for i, (word, width) in enumerate(zip(line, widths))))


def print_sum(cells):
    for program in PROGRAMS:
        ratios = [cell.model_over_ahead() for cell in cells if cell.program == program]
        if ratios:
            middle = math.exp(sum(map(math.log, ratios)) / len(ratios))
            moved = [sum(cell.results[strategy]["bytes_moved"] for cell in cells if cell.program == program) / 1e9 for strategy in STRATEGIES]
            print(f"{program}: model/ahead {middle:.3f} ({min(ratios):.3f}..{max(ratios):.3f}), GB moved {moved[0]:.1f} and {moved[1]:.1f}")
    losing = [cell.name() for cell in cells if cell.loses()]
    print(f"{len(losing)} of {len(cells)} cells above {LOSES}{': ' + ', '.join(losing) if losing else ''}")


def numbers_in(text):
    return [float(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--traces", type=pathlib.Path, help="a folder in which traces are kept")
    parser.add_argument("--only", default="", help="cells whose name has this in it, such as 'matmul 2x'")
    parser.add_argument("--ratios", type=numbers_in, default=[2, 3.4], help="the data over fast memory; default 2,3.4")
    parser.add_argument("--slow", type=numbers_in, default=[0.25, 0.5], help="of memory's copy bandwidth; default 0.25,0.5")
    parser.add_argument("--table", action="store_true", help="in Markdown")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.traces or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        cells = simulate_all(arguments, folder)
    if not cells:
        sys.exit(f"no cell has '{arguments.only}' in its name")
    print_table(cells, arguments.table)
    print()
    print_sum(cells)
    return 1 if any(cell.loses() for cell in cells) else 0


if __name__ == "__main__":
    sys.exit(main())
