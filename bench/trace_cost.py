#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""What tracing costs when it is on, as a table: trace_cost.py BUILD [--rounds N] [--only events|4096|8192]

BUILD is a folder with bench/micro/trace_cost and tools/weir/weir in it. Every round runs each program untraced and traced
in turn, so that what else the machine does falls on both; the cost is the median over the rounds of traced / untraced.
Nothing else should run meanwhile. A few minutes. Exit status 1 when a target is missed.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

TASKS = 300_000


def environment(trace):
    plain = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    return plain if trace is None else {**plain, "WEIR_TRACE": str(trace)}


def run(command, trace):
    said = subprocess.run(list(map(str, command)), check=True, env=environment(trace), capture_output=True, text=True).stdout
    if trace is not None:
        trace.unlink()
    return said


class Table:
    """Rows of what was measured against its target."""

    def __init__(self):
        self.missed = False
        print("| traced | median (least..most) | target |\n|---|---|---|", flush=True)

    def row(self, what, values, unit, most=None, digits=1):
        middle = statistics.median(values)
        missed = most is not None and middle > most
        self.missed |= missed
        shown = f"{middle:.{digits}f} {unit} ({min(values):.{digits}f}..{max(values):.{digits}f})"
        print(f"| {what} | {'**missed** ' if missed else ''}{shown} | {'' if most is None else f'{most} {unit}'} |", flush=True)


def percent(off, on):
    return [100 * (b / a - 1) for a, b in zip(off, on)]


def in_turns(rounds, measure, trace):
    """Two lists of what measure(None) and measure(trace) gave in each round; the first one of a round changes."""
    given = {None: [], trace: []}
    for round_number in range(rounds):
        for way in (None, trace) if round_number % 2 == 0 else (trace, None):
            given[way].append(measure(way))
    return given[None], given[trace]


def events(table, program, trace, rounds):
    def measure(nanoseconds, workers):
        return lambda way: list(map(float, run([program, TASKS, nanoseconds, workers], way).split()))

    off, on = in_turns(rounds, measure(0, 1), trace)
    # A spawn and a task each, on the thread that does both.
    table.row("an event: empty tasks, one worker, its CPU time", [1e9 * (b[1] - a[1]) / (2 * TASKS) for a, b in zip(off, on)], "ns", 25)
    for workers in (1, 2):
        off, on = in_turns(rounds, measure(1000, workers), trace)
        column = lambda runs, index: [numbers[index] for numbers in runs]
        table.row(f"tasks of 1 us, {workers} worker{'s'[:workers - 1]}: wall time", percent(column(off, 0), column(on, 0)), "%", 15)
        table.row("the same, worker 0's CPU time", percent(column(off, 1), column(on, 1)), "%", 15)
        table.row("the same, of the process, with what writes: CPU time", percent(column(off, 2), column(on, 2)), "%")
        table.row(f"the same, the runtime's end, {TASKS} tasks", column(on, 3), "s", digits=2)


def seismic(table, weir, sizes, trace, rounds):
    for size, iterations in sizes:
        command = [weir, "run", "seismic", "--size", size, "--iterations", iterations, "--repeat", 3, "--variants", "weir",
                   "--no-image", "--json"]
        measure = lambda way: json.loads(run(command, way))[0]["seconds_per_iteration"]
        off, on = in_turns(rounds, measure, trace)
        table.row(f"Seismic {size} x {size}, two workers: wall time", percent(off, on), "%", 5)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", choices=("events", "4096", "8192"), help="these rows; 4096 and 8192 are Seismic")
    arguments = parser.parse_args()
    table = Table()
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "t.weir"
        if arguments.only in (None, "events"):
            events(table, arguments.build / "bench/micro/trace_cost", trace, arguments.rounds)
        sizes = [size for size in ((4096, 64), (8192, 32)) if arguments.only in (None, str(size[0]))]
        seismic(table, arguments.build / "tools/weir/weir", sizes, trace, arguments.rounds)
    return 1 if table.missed else 0


if __name__ == "__main__":
    sys.exit(main())
