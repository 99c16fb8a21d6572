#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""What the OCR API costs against its targets: runs ocr_bench several times and prints a table of medians.

ocr_table.py OCR_BENCH [--rounds N] [--min-time SECONDS] [--json FILE]

One worker counts processor time, two count time on the wall, so nothing else may run meanwhile. Each round runs all
benchmarks once, in turn. What two workers cost goes with what a cache line takes from core to core, which the host of a
virtual machine changes: it stands behind the rows of two workers, for each round. Ends with exit status 1 when a target is missed by the median, 2 when there is no measurement.
"""
import argparse
import json
import statistics
import subprocess
import sys

LINE = "/line"  # behind the name: what a cache line took from core to core meanwhile, in ns
ONE, TWO = "empty_edts/workers:1/makers:{}/edts:{}/process_time", "empty_edts/workers:2/makers:{}/edts:{}/real_time"
EDTS = 100000  # of 64 bytes each, all made before the last has run

# What is measured, its unit, the target (None: none), the benchmark, and the one it is divided by (None: its figure by itself).
ROWS = [
    ("empty EDT, one EDT makes all", "ns", 100, ONE.format(1, EDTS), None),
    ("the same, 10 000 at a time", "ns", None, ONE.format(1, EDTS // 10), None),
    ("the same, 400 000 at a time", "ns", None, ONE.format(1, EDTS * 4), None),
    ("empty EDT, a hundred EDTs make them", "ns", 100, ONE.format(100, EDTS), None),
    ("the same, two workers / one", "x", 0.6, TWO.format(100, EDTS), ONE.format(100, EDTS)),
    ("two EDTs make them, two workers / one", "x", 0.6, TWO.format(2, EDTS), ONE.format(1, EDTS)),
    ("the same, 10 000 at a time", "x", None, TWO.format(2, EDTS // 10), ONE.format(1, EDTS // 10)),
    ("the same, 400 000 at a time", "x", None, TWO.format(2, EDTS * 4), ONE.format(1, EDTS * 4)),
    ("one EDT makes all, two workers / one", "x", 0.6, TWO.format(1, EDTS), ONE.format(1, EDTS)),
    ("fib(25), an EDT", "ns", 280, "fib/workers:1/process_time", None),
    ("fib(25), two workers / one", "x", 1 / 1.7, "fib/workers:2/real_time", "fib/workers:1/process_time"),
    ("sticky event create", "ns", 50, "sticky/create/manual_time", None),
    ("sticky event satisfy", "ns", 25, "sticky/satisfy/manual_time", None),
    ("sticky event destroy", "ns", 30, "sticky/destroy/manual_time", None),
    ("EDT of two slots create", "ns", 90, "edt_of_two_slots/create/manual_time", None),
    ("block of 64 bytes create and destroy", "ns", 80, "block_of_64_bytes/manual_time", None),
    ("labelled / unlabelled: sticky event", "x", 1.3, "labelled_sticky/all/manual_time", "sticky/all/manual_time"),
    ("labelled / unlabelled: EDT", "x", 1.3, "edt_of_two_slots/labelled_create_and_destroy/manual_time",
     "edt_of_two_slots/create_and_destroy/manual_time"),
    ("labelled / unlabelled: block", "x", 1.3, "labelled_block_of_64_bytes/manual_time", "block_of_64_bytes/manual_time"),
    ("memory of an EDT, 10 million alive", "bytes", 256, "bytes_of_waiting_edts/edts:10000000/iterations:1", None),
]


def run_once(program, min_time):
    """The figure of each benchmark by name: nanoseconds, or bytes."""
    done = subprocess.run([program, f"--benchmark_min_time={min_time}", "--benchmark_format=json"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} ended with exit status {done.returncode}")
    figures = {}
    for entry in json.loads(done.stdout)["benchmarks"]:
        if "error_message" in entry:
            sys.exit(f"{program}: {entry['name']}: {entry['error_message']}")
        if "line_ns" in entry:
            figures[entry["name"] + LINE] = entry["line_ns"]
        seconds = entry.get("per_edt", entry.get("per_call"))
        figures[entry["name"]] = entry["bytes_per_edt"] if seconds is None else seconds * 1e9
    return figures


def seen(rounds, row):
    """The figures of a row, one for each round."""
    _, _, _, name, base = row
    return [figures[name] / (figures[base] if base else 1) for figures in rounds]


def lines(rounds, row):
    """The figure of each round with what a line took then, from the shortest on."""
    name = row[3] + LINE
    pairs = sorted((figures[name], figure) for figures, figure in zip(rounds, seen(rounds, row)) if name in figures)
    return " a line of " + ", ".join(f"{line:.0f} ns: {figure:.2f}" for line, figure in pairs) if pairs else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", help="the benchmark: build/bench/micro/ocr_bench")
    parser.add_argument("--rounds", type=int, default=5, help="runs of all benchmarks; default 5")
    parser.add_argument("--min-time", type=float, default=0.2, help="seconds for a benchmark; default 0.2")
    parser.add_argument("--json", help="write the figures of all rounds to this file")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds: at least 1")
    rounds = [run_once(options.program, options.min_time) for _ in range(options.rounds)]
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rounds, file, indent=1)
    missed = 0
    print("| what | target | seen: median (least..most) | |\n|---|---|---|---|")
    for row in ROWS:
        what, unit, target, _, _ = row
        figures = seen(rounds, row)
        middle, digits = statistics.median(figures), 2 if unit == "x" else 1
        good = target is None or middle <= target
        missed += not good
        print(f"| {what} | {'' if target is None else f'{target:.3g} '}{unit} | **{middle:.{digits}f}** "
              f"({min(figures):.{digits}f}..{max(figures):.{digits}f}) | {'' if good else 'missed'}{lines(rounds, row)} |")
    return 1 if missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, KeyError, ValueError) as error:
        print(f"ocr_table.py: {error}", file=sys.stderr)
        sys.exit(2)
