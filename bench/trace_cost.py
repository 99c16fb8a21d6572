#!/usr/bin/env python3
"""What tracing costs, as a table: trace_cost.py TRACE_COST [--weir WEIR]

TRACE_COST is the program of bench/micro/trace_cost.cpp. Runs it traced and not, in turns, and takes the least of each:
other programs only add. With WEIR, the command line, also Seismic of 4096 x 4096. A few minutes.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile


def least(command, trace, rounds):
    """The least of each number that the command prints, not traced and traced."""
    best = {}
    for _ in range(rounds):
        for traced in (False, True):
            environment = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
            if traced:
                environment["WEIR_TRACE"] = str(trace)
            numbers = list(map(float, subprocess.run(command, check=True, env=environment, capture_output=True, text=True).stdout.split()))
            best[traced] = list(map(min, best.get(traced, numbers), numbers))
            trace.unlink(missing_ok=True)
    return best[False], best[True]


def share(off, on):
    return f"{100 * (on / off - 1):+.1f} %"


def seismic(weir, trace, rounds):
    times = {}
    for _ in range(rounds):
        for options in ([], ["--trace", str(trace)]):
            command = [weir, "run", "seismic", "--size", "4096", "--variants", "weir", "--no-image", "--iterations", "20",
                       "--repeat", "3", "--json"]
            about = json.loads(subprocess.run(command + options, check=True, capture_output=True, text=True).stdout)
            seconds = about[0]["seconds_per_iteration_min"]
            times[bool(options)] = min(times.get(bool(options), seconds), seconds)
            trace.unlink(missing_ok=True)
    return times[False], times[True]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trace_cost", type=pathlib.Path)
    parser.add_argument("--weir", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "t.json"
        tasks = 300_000
        off, on = least([arguments.trace_cost, str(tasks), "0", "1"], trace, arguments.rounds)
        # A spawn and a task each, on the thread that does both.
        print(f"| one event, empty tasks, the worker's CPU time | {1e9 * (on[1] - off[1]) / (2 * tasks):.1f} ns |")
        for workers in (1, 2):
            off, on = least([arguments.trace_cost, str(tasks), "1000", str(workers)], trace, arguments.rounds)
            print(f"| tasks of 1 us, {workers} worker{'s'[:workers - 1]}: wall time | {share(off[0], on[0])} |")
            print(f"| its worker 0: CPU time | {share(off[1], on[1])} |")
            print(f"| the process, with what writes: CPU time | {share(off[2], on[2])} |")
            print(f"| the runtime's end, {tasks} tasks | {on[3]:.2f} s |")
        if arguments.weir:
            off, on = seismic(arguments.weir, trace, 3)
            print(f"| Seismic 4096 x 4096, two workers: wall time | {share(off, on)} |")


if __name__ == "__main__":
    main()
