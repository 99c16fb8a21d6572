#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""How good `weir advise` is: what it advises by simulation, against every setting that it could have advised, run here.

agreement.py BUILD [--only TEXT] [--rounds N] [--limit PERCENT] [--table]    BUILD: a build folder

Programs run with a fast tier and an emulated slow one, which has a quarter of memory's bandwidth. For each, `weir
advise --try` predicts every strategy with every number of workers, says which it advises, and runs them all in turns. A
row has what was advised and the least time that it took, the best setting and its least time, and how much longer the
advised one took; medians stand next to them. The least of many turns is compared, since what else a machine does only adds to
a run. Noise is by how much the least of every other turn of a setting differs from the least of those between, the median of
all settings: differences below it are none. The exit status is 1 when what was advised took longer than the best by more
than PERCENT (5) and by more than that noise.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

SLOW = 0.25  # of memory's own bandwidth
BLOCKS = 64  # of 1 MiB
ROUNDS = {"sweep": 32, "hot": 48, "compute": 8}  # each of as many tasks as there are blocks
SEISMIC = 6 * 8 * 1536 * 1536
CHOLESKY = 16 * 17 // 2 * 128 * 128 * 8


def tiers(total, ratio):
    return f"memory={int(total / ratio) // 4096 * 4096}B,emulated={2 * total}B@{SLOW}"


def cells(build):
    """Name, tiers, command."""
    weir = str(build / "tools/weir/weir")
    for ratio in (2, 4):
        for pattern, rounds in ROUNDS.items():
            command = [str(build / "bench/advise/advise_blocks"), pattern, str(BLOCKS), "1024", str(rounds)]
            yield f"{pattern} {ratio}x", tiers(BLOCKS << 20, ratio), command
        seismic = [weir, "run", "seismic", "--size", "1536", "--iterations", "24", "--repeat", "1", "--variants", "weir-blocks", "--no-image"]
        yield f"seismic {ratio}x", tiers(SEISMIC, ratio), seismic
        yield f"cholesky {ratio}x", tiers(CHOLESKY, ratio), [str(build / "apps/cholesky/cholesky_ocr"), "--tiles", "16", "--tile", "128"]


def setting(trial):
    return f"{trial['strategy']}, {trial['workers']}"


def advise(build, memory, command, rounds):
    """The trials, the advised one first, and what was predicted for that; or why there are none."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    words = [build / "tools/weir/weir", "advise", "--try", "--json", "--most", "1000", "--rounds", rounds, "--tiers", memory, "--", *command]
    done = subprocess.run([str(word) for word in words if word != "--"], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or ["no output"])[-1]
    objects = json.loads(done.stdout)
    predicted = {setting(each): each["predicted_s"] for each in objects if each["object"] == "prediction"}
    return [trial for trial in objects if trial["object"] == "trial" and trial["median_s"]], predicted


class Row:
    def __init__(self, name, result, limit):
        self.name, self.failed = name, isinstance(result, str)
        if self.failed:
            self.cells, self.beyond = [result], True
            return
        trials, predicted = result
        for trial in trials:
            trial["least_s"] = min(trial["seconds"])
        advised, best = trials[0], min(trials, key=lambda trial: trial["least_s"])
        worst = max(trials, key=lambda trial: trial["least_s"])
        longer = 100 * (advised["least_s"] / best["least_s"] - 1)
        noise = statistics.median(100 * abs(min(t["seconds"][::2]) / min(t["seconds"][1::2]) - 1) for t in trials if len(t["seconds"]) > 1)
        self.beyond = longer > max(limit, noise)
        times = [f"{trial['least_s']:.3f} ({trial['median_s']:.3f})" for trial in (advised, best, worst)]
        self.cells = [setting(advised), f"{predicted[setting(advised)]:.3f}", times[0], setting(best), times[1], f"{longer:.1f} %",
                      setting(worst), times[2], str(len(trials)), f"{noise:.0f} %"]


TITLES = ["program", "advised", "predicted s", "least s (median)", "best", "least s (median)", "longer by", "worst",
          "least s (median)", "settings", "noise"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="", help="cells whose name has this in it, such as 'hot 4x'")
    parser.add_argument("--rounds", type=int, default=10, help="at least 2")
    parser.add_argument("--limit", type=float, default=5, help="percent")
    parser.add_argument("--table", action="store_true", help="in Markdown")
    arguments = parser.parse_args()
    chosen = [cell for cell in cells(arguments.build) if arguments.only in cell[0]]
    if arguments.table:
        print("| " + " | ".join(TITLES) + " |\n" + "|---" * len(TITLES) + "|")
    else:
        print("  ".join(f"{title:<16}" for title in TITLES))
    beyond = 0
    for name, memory, command in chosen:
        row = Row(name, advise(arguments.build, memory, command, arguments.rounds), arguments.limit)
        beyond += row.beyond
        text = [row.name, *row.cells]
        print("| " + " | ".join(text) + " |" if arguments.table else "  ".join(f"{each:<16}" for each in text), flush=True)
    print(f"\n{beyond} of {len(chosen)} beyond {arguments.limit:g} % and the noise")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
