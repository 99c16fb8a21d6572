#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""What being able to trace, explain and check costs a program that does none of it: hook_cost.py [--build FOLDER]

Builds weir-bench-weir with and without what those three need at every spawn (-DWEIR_HOOKS=OFF) in two folders, and has
valgrind count the instructions of both. As a table; exit status 1 when a row is above --most. Counts, not times: they
are the same in every run, whatever else the machine does.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Each with two sizes, so that starting and stopping cancel out; it is run twice, cold and warm.
SIZES = {"independent": (20_000, 60_000), "chain": (20_000, 60_000), "wavefront": (100**2, 200**2), "forkjoin": (16, 21)}


def tasks(bench, size):
    return fibonacci_spawns(size) if bench == "forkjoin" else size


def fibonacci_spawns(n):
    return 0 if n < 2 else 1 + fibonacci_spawns(n - 1) + fibonacci_spawns(n - 2)


def build(folder, hooks):
    configure = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-DWEIR_HOOKS={hooks}"]
    for command in (configure, ["cmake", "--build", folder, "--target", "weir_bench_weir"]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder / "bench/tasks/weir-bench-weir"


def instructions(program, bench, count):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, bench, "1", str(count), "1", "8"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    return int(re.search(r"Collected : (\d+)", said).group(1))


def instructions_per_task(program, bench):
    few, many = SIZES[bench]
    more = instructions(program, bench, many) - instructions(program, bench, few)
    return more / 2 / (tasks(bench, many) - tasks(bench, few))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/hooks", help="folder of the two builds")
    parser.add_argument("--most", type=float, default=1.0, help="percent that a row may cost")
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None:
        sys.exit("hook_cost.py counts with valgrind, which is not here: apt-get install valgrind")
    programs = [build(arguments.build / name, hooks) for name, hooks in (("without", "OFF"), ("with", "ON"))]
    print("| instructions a task, one worker | without | with | cost |\n|---|---|---|---|")
    missed = False
    for bench in SIZES:
        without, with_hooks = (instructions_per_task(program, bench) for program in programs)
        percent = 100 * (with_hooks / without - 1)
        missed |= percent > arguments.most
        print(f"| {bench} | {without:.1f} | {with_hooks:.1f} | {percent:+.2f} % |", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
