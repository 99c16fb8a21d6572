#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""What chains of tiers change: programs on three tiers, with `--chains off` and `on` in turns.

chains.py BUILD [--simulate] [--only TEXT] [--rounds N] [--folder FOLDER] [--table]    BUILD: a build folder with weir and cholesky_ocr

The first tier is memory, the second memory slowed down to half of its copy bandwidth, the third a file in FOLDER. A row is
a program, how much of its data the first two tiers hold (all of it together, or not), and a strategy. Off and on are
medians of the rounds, on/off the median (least..most) of the ratios within a round. The exit status is 1 when a run fails,
when its result is wrong, or when chains lose: a row whose least ratio is above 1.05.

With --simulate each program is traced once, in memory, and `weir sim` predicts the rows from that, so that there is no noise. The second
tier is 4 % smaller in each round than in the one before: where a block more or less has its home decides much.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

PROGRAMS = ("stencil3d", "matmul", "cholesky", "seismic")
# Of the bytes of the blocks: what the first and the second tier have. Homes leave a fourth of the second.
SHARES = {"fits": (0.25, 1.25), "tight": (0.25, 0.8), "exceeds": (0.25, 0.25)}
STRATEGIES = ("multi", "ahead", "model")
LOSES = 1.05
SMALLER = 0.96  # the second tier of a simulated round, of that of the one before
FILE_GB_PER_S = 1.5
PAGE = 4096
SIZES = {"stencil3d": ["--size", "128x128x1024", "--iterations", "5", "--sweeps", "5"],
         "matmul": ["--size", "2048", "--tile", "256"],
         "cholesky": ["--tiles", "16", "--tile", "128"],
         "seismic": ["--size", "2048", "--iterations", "32", "--repeat", "1", "--variants", "weir-blocks", "--no-image"]}
CHOLESKY_BYTES = 16 * 17 // 2 * 128 * 128 * 8


class Cell:
    def __init__(self, program, memory, strategy):
        self.program, self.memory, self.strategy = program, memory, strategy

    def name(self):
        return f"{self.program} {self.memory} {self.strategy}"


def end_with(command, why):
    sys.exit(f"{' '.join(map(str, command))}\n{why}")


def run_verb(arguments, cell, tiers, chains):
    """Seconds and bytes moved of a verb of `weir run`."""
    variant = [] if cell.program == "seismic" else ["--variants", f"weir-{cell.strategy}"]
    strategy = ["--strategy", cell.strategy] if cell.program == "seismic" else []
    command = [arguments.build / "tools/weir/weir", "run", cell.program, *variant, *strategy, "--json", "--workers", arguments.workers,
               "--tiers", tiers, "--chains", chains, *SIZES[cell.program]]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        end_with(command, done.stderr.strip())
    result = json.loads(done.stdout)[0]
    if not result["agrees"]:
        end_with(command, "the result is wrong")
    return result


def run_cholesky(arguments, cell, tiers, chains):
    command = [str(arguments.build / "apps/cholesky/cholesky_ocr"), *SIZES["cholesky"]]
    variables = {"WEIR_TIERS": tiers, "WEIR_CHAINS": chains, "WEIR_STRATEGY": cell.strategy, "WEIR_WORKERS": str(arguments.workers)}
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True)
    seconds = re.search(r": ([0-9.]+) s,", done.stdout)
    if done.returncode != 0 or seconds is None or not done.stdout.strip().endswith("right"):
        end_with(command, done.stderr.strip() or done.stdout.strip())
    return {"seconds": float(seconds.group(1))}


def run(arguments, cell, tiers, chains):
    if cell.program == "cholesky":
        return run_cholesky(arguments, cell, tiers, chains)
    result = run_verb(arguments, cell, tiers, chains)
    if cell.program == "seismic":
        result["seconds"] = result["seconds_per_iteration"]
    return result


def bytes_of(arguments, program):
    if program == "cholesky":
        return CHOLESKY_BYTES
    return run_verb(arguments, Cell(program, "", "ahead"), "memory=1GiB", "off")["total_bytes"]


def trace(arguments, program, folder):
    """Of a run with all of its data in memory."""
    file = folder / f"{program}.weir"
    if program == "cholesky":
        command = [arguments.build / "apps/cholesky/cholesky_ocr", *SIZES[program]]
    else:
        resident = [word for word in SIZES[program] if word != "--no-image"] if program == "seismic" else ["--variants", "weir-resident", *SIZES[program]]
        command = [arguments.build / "tools/weir/weir", "run", "--trace", file, program, "--tiers", "memory=2GiB", *resident]
    variables = {"WEIR_TRACE": str(file), "WEIR_WORKERS": str(arguments.workers)}
    done = subprocess.run([str(word) for word in command], env={**os.environ, **variables}, capture_output=True, text=True)
    if done.returncode != 0 or not file.exists():
        end_with(command, done.stderr.strip() or done.stdout.strip())
    return file


def simulate(arguments, cell, tiers, chains, file):
    command = [arguments.build / "tools/weir/weir", "sim", file, "--json", "--workers", arguments.workers, "--tiers", tiers,
               "--strategy", cell.strategy, "--chains", chains, "--file-gb-per-s", FILE_GB_PER_S]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        end_with(command, done.stderr.strip())
    result = json.loads(done.stdout)[0]
    return {"seconds": result["predicted_s"], "bytes_moved": result["bytes_moved"]}


def simulated(arguments, cell, total, file):
    """Of each round the results with off and on."""
    rounds = []
    for number in range(arguments.rounds):
        first, second = SHARES[cell.memory]
        tiers = tiers_of(total, (first, second * SMALLER**number), arguments.folder)
        rounds.append({chains: simulate(arguments, cell, tiers, chains, file) for chains in ("off", "on")})
    return rounds


def tiers_of(total, shares, folder):
    first, second = (int(share * total) // PAGE * PAGE for share in shares)
    return f"memory={first}B,emulated={second}B@0.5,file={folder}:{2 * total}B"


def measure(arguments, cell, total):
    """Of each round the results with off and on; which is first changes from round to round."""
    tiers = tiers_of(total, SHARES[cell.memory], arguments.folder)
    rounds = []
    for number in range(arguments.rounds):
        order = ("off", "on") if number % 2 == 0 else ("on", "off")
        rounds.append({chains: run(arguments, cell, tiers, chains) for chains in order})
    return rounds


class Row:
    def __init__(self, cell, rounds):
        self.cell, self.rounds = cell, rounds
        self.ratios = [each["on"]["seconds"] / each["off"]["seconds"] for each in rounds]

    def median(self, chains, key):
        return statistics.median(each[chains][key] for each in self.rounds)

    def loses(self):
        return min(self.ratios) > LOSES

    def moved(self, chains):
        return f"{self.median(chains, 'bytes_moved') / 2**20:.0f}" if "bytes_moved" in self.rounds[0][chains] else ""

    def columns(self):
        ratio = f"{statistics.median(self.ratios):.2f} ({min(self.ratios):.2f}..{max(self.ratios):.2f}){' !' if self.loses() else ''}"
        return [self.cell.program, self.cell.memory, self.cell.strategy, f"{1e3 * self.median('off', 'seconds'):.1f}",
                f"{1e3 * self.median('on', 'seconds'):.1f}", ratio, self.moved("off"), self.moved("on")]


HEAD = ["program", "memory", "strategy", "off, ms", "on, ms", "on/off", "off, MiB moved", "on"]


def show(columns, table):
    widths = (10, 8, 9, 9, 9, 22, 14, 8)
    print("| " + " | ".join(columns) + " |" if table else "".join(f"{c:<{w}}" for c, w in zip(columns, widths)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--simulate", action="store_true", help="predict the rows from one trace of each program")
    parser.add_argument("--only", default="", help="rows whose name has this in it, such as 'matmul fits'")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", default="/tmp")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--table", action="store_true", help="in Markdown")
    arguments = parser.parse_args()
    show(HEAD, arguments.table)
    if arguments.table:
        show(["---"] * len(HEAD), True)
    folder = tempfile.TemporaryDirectory()
    lost, totals, traces = 0, {}, {}
    for cell in (Cell(p, m, s) for p in PROGRAMS for m in SHARES for s in STRATEGIES):
        if arguments.only not in cell.name():
            continue
        if cell.program not in totals:
            totals[cell.program] = bytes_of(arguments, cell.program)
        total = totals[cell.program]
        if arguments.simulate and cell.program not in traces:
            traces[cell.program] = trace(arguments, cell.program, pathlib.Path(folder.name))
        row = Row(cell, simulated(arguments, cell, total, traces[cell.program]) if arguments.simulate else measure(arguments, cell, total))
        show(row.columns(), arguments.table)
        lost += row.loses()
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
