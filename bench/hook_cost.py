#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""What being able to trace, explain and check costs a program that does none of it: hook_cost.py [--build FOLDER]

Builds weir-bench-weir with and without what those three need at every spawn (-DWEIR_HOOKS=OFF) in two folders, and has
valgrind count the instructions of both. As a table; exit status 1 when a row is above --most. Counts, not times: what
else the machine does changes them by two in a thousand at most, where a spawner that is ahead looks at the clock. So
they are medians of a few.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys

from instructions import instructions_per_task, require_valgrind

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Each with two sizes, so that starting and stopping cancel out; it is run twice, cold and warm.
SIZES = {"independent": (20_000, 60_000), "chain": (20_000, 60_000), "wavefront": (100**2, 200**2), "forkjoin": (16, 21)}


def build(folder, hooks):
    configure = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-DWEIR_HOOKS={hooks}"]
    for command in (configure, ["cmake", "--build", folder, "--target", "weir_bench_weir"]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / "bench/tasks/weir-bench-weir"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/hooks", help="folder of the two builds")
    parser.add_argument("--rounds", type=int, default=5, help="counts of each program, in turns, of which the median is taken")
    parser.add_argument("--most", type=float, default=1.0, help="percent that a row may cost")
    arguments = parser.parse_args()
    require_valgrind()
    programs = [build(arguments.build / name, hooks) for name, hooks in (("without", "OFF"), ("with", "ON"))]
    print("| instructions a task, one worker | without | with | cost |\n|---|---|---|---|")
    missed = False
    for bench in SIZES:
        rounds = [[instructions_per_task(program, bench, SIZES[bench]) for program in programs] for _ in range(arguments.rounds)]
        without, with_hooks = (statistics.median(counts) for counts in zip(*rounds))
        percent = 100 * (with_hooks / without - 1)
        missed |= percent > arguments.most
        print(f"| {bench} | {without:.1f} | {with_hooks:.1f} | {percent:+.2f} % |", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
