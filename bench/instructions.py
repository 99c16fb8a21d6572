#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Instructions a task takes, counted by valgrind: instructions.py RUNNER [--margin PERCENT]

RUNNER is weir-bench-weir. Each program runs with two numbers of tasks, so that starting and stopping cancel out, and with one
worker and a fixed throttle: how far ahead a thread spawns otherwise follows how long tasks take, and with it how many instructions
they do. Counts, not times: what else the machine does changes them by two in a thousand at most, and next to nothing of them is
the C library's, whose variants differ between processors. As a table; exit status 1 when a row is above its ceiling.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys

# What a task costs, by g++ 12 on x86-64, a few percent above what was counted: a change that goes beyond says so here.
CEILINGS = {"independent": 262, "chain": 522, "wavefront": 782, "forkjoin": 118}
# A program runs twice in a process, cold and warm.
SIZES = {"independent": (20_000, 60_000), "chain": (4_000, 16_000), "wavefront": (40**2, 110**2), "forkjoin": (12, 18)}


def fibonacci_spawns(n):
    return 0 if n < 2 else 1 + fibonacci_spawns(n - 1) + fibonacci_spawns(n - 2)


def tasks(bench, size):
    return fibonacci_spawns(size) if bench == "forkjoin" else size


def require_valgrind():
    if shutil.which("valgrind") is None:
        sys.exit("instructions are counted with valgrind, which is not here: apt-get install valgrind")


def instructions(runner, bench, count):
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", runner, bench, "1", str(count), "1", "8"]
    done = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, WEIR_THROTTLE="256"))
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or collected is None:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}, and said\n{done.stderr}")
    return int(collected.group(1))


def instructions_per_task(runner, bench, sizes=None):
    few, many = sizes or SIZES[bench]
    more = instructions(runner, bench, many) - instructions(runner, bench, few)
    return more / 2 / (tasks(bench, many) - tasks(bench, few))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runner")
    parser.add_argument("--margin", type=float, default=0, help="percent by which all ceilings are higher, for other compilers")
    arguments = parser.parse_args()
    require_valgrind()
    print("| instructions a task, one worker | counted | ceiling |\n|---|---|---|")
    above = []
    for bench, ceiling in CEILINGS.items():
        most = ceiling * (1 + arguments.margin / 100)
        counted = instructions_per_task(arguments.runner, bench)
        print(f"| {bench} | {counted:.1f} | {most:.0f} |", flush=True)
        if counted > most:
            above.append(bench)
    if above:
        sys.exit(f"above the ceiling: {', '.join(above)}; what was added to the path of every task? (callgrind_annotate tells)")


if __name__ == "__main__":
    main()
