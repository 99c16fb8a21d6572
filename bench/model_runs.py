#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Strategy `model` next to `ahead` in real runs of the rows of `weir bench tiers`, where slow memory is two and four times
slower than fast: a table.

model_runs.py BUILD [--rounds N] [--only TEXT] [--keep FILE]    BUILD: a build folder with weir

Two runs of one program differ by a fifth on a machine that others use, too, and the first of a pair may be the slower
one. So a round of a row is four runs, ahead, model, model, ahead, and its quotient the sum of the inner over that of
the outer. A row has the median of the quotients, of seconds and of the processor time of the whole process, which waits for
slow memory take none of.
"""
import argparse
import json
import pathlib
import resource
import statistics
import subprocess

SLOW = ("0.25", "0.5")  # of the bandwidth of fast memory
# The sizes of `weir bench tiers`, two workers; fewer iterations.
ROWS = [("stencil3d", "2", ["--size", "192x192x768", "--iterations", "4"]),
        ("stencil3d", "3.4", ["--size", "192x192x1280", "--iterations", "4"]),
        ("matmul", "2", ["--size", "3360"]), ("matmul", "3.4", ["--size", "4320"])]


def run(build, program, strategy, size, ratio, slow):
    command = [build / "tools/weir/weir", "run", program, "--variants", f"weir-{strategy}", *size, "--ratio", ratio,
               "--slow", f"emulated:{slow}", "--workers", "2", "--json"]
    before = processor_seconds()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)[0]["seconds"], processor_seconds() - before


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def quotients_of(rounds):
    return [(b + c) / (a + d) for a, b, c, d in rounds]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="rows whose name has this in it, such as 'matmul 2x'")
    parser.add_argument("--keep", type=pathlib.Path, help="a file with the rounds of earlier runs, to which these are added")
    arguments = parser.parse_args()
    rounds = json.loads(arguments.keep.read_text()) if arguments.keep and arguments.keep.exists() else {}
    rows = {f"{program} {ratio}x, {slow}": (program, ratio, slow, size) for program, ratio, size in ROWS for slow in SLOW}
    rows = {name: row for name, row in rows.items() if arguments.only in name}
    for _ in range(arguments.rounds):
        for name, (program, ratio, slow, size) in rows.items():
            rounds.setdefault(name, []).append([run(arguments.build, program, strategy, size, ratio, slow)
                                                for strategy in ("ahead", "model", "model", "ahead")])
            if arguments.keep:
                arguments.keep.write_text(json.dumps(rounds))
    print("| data over fast memory, slow memory | rounds | ahead, s | model, s | model/ahead | least..most | of processor time |")
    print("|---|---|---|---|---|---|---|")
    for name in rows:
        of = [[seconds for seconds, _ in each] for each in rounds[name]]
        quotients = quotients_of(of)
        of_processors = statistics.median(quotients_of([[used for _, used in each] for each in rounds[name]]))
        ahead = statistics.median(each for seconds in of for each in (seconds[0], seconds[3]))
        model = statistics.median(each for seconds in of for each in seconds[1:3])
        print(f"| {name} | {len(of)} | {ahead:.3f} | {model:.3f} | **{statistics.median(quotients):.3f}** | "
              f"{min(quotients):.2f}..{max(quotients):.2f} | {of_processors:.3f} |")


if __name__ == "__main__":
    main()
