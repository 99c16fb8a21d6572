#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""How good `weir advise` is: what it advises by simulation, against every setting that it could have advised, run here.

agreement.py BUILD [--only TEXT] [--rounds N] [--limit PERCENT] [--keep FILE] [--table]    BUILD: a build folder

Programs run with a fast tier and an emulated slow one, which has a part of memory's bandwidth. For each, `weir advise`
predicts every strategy with every number of workers and advises one. Then all of them run in turns. A round compares
settings that ran within seconds of each other, so what else the machine does at that time disturbs both: what counts is
the median over the rounds of advised / other, and the two bounds that the true median is below, and above, with 95 %
probability each, by order statistics. They need five rounds. A setting is

  no better  when the upper bound is within PERCENT (5): the advised one takes at most that much longer
  better     when the lower bound is beyond PERCENT
  open       else; such settings run on, in turns with the advised one, until there are none or `--rounds` are over

A row is `within` when none is better and none open, `behind` when one is better. Next to the advised setting stands the
one with which the median of advised / other is largest: the best of all that were tried. `of the least` is the least
time of the one divided by that of the other: what else a machine does only adds to a run. The exit status is 1 when a row is
behind or a program could not be run.

With --keep, rounds are added to those in FILE, and what was advised then stays: a long measurement in short pieces.
Seconds are those that the program says it took, where it says so, else of the whole process.
"""
import argparse
import json
import math
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import time

SLOW = (0.1, 0.25, 0.5)  # of memory's own bandwidth
RATIOS = (2.0, 3.4)  # of the data to the fast tier
DOUBT = 0.05  # that a bound is wrong
PARTS = {"tiers": "WEIR_TIERS", "strategy": "WEIR_STRATEGY", "allocation": "WEIR_ALLOCATION", "policy": "WEIR_POLICY",
         "bind": "WEIR_BIND", "workers": "WEIR_WORKERS"}


class Program:
    """What is run: options of the runtime come from WEIR_* variables, whatever the program is."""

    def __init__(self, name, total, command, seconds=None):
        self.name, self.total, self.command, self.seconds_of = name, total, command, seconds

    def seconds(self, output, wall):
        return self.seconds_of(output) if self.seconds_of else wall


def by_variant(weir, app, size):
    """`weir run APP`, whose variants name the strategy and whose other options are of the command line."""
    script = (f'exec {shlex.quote(weir)} run {app} --json --variants "weir-${{WEIR_STRATEGY:-ahead}}" --tiers "$WEIR_TIERS" '
              f'${{WEIR_WORKERS:+--workers "$WEIR_WORKERS"}} {size}')
    return ["sh", "-c", script]


def of_tiers_app(output):
    return json.loads(output)[-1]["seconds"]


def of_seismic(output):
    run = json.loads(output)[-1]
    return run["seconds_per_iteration"] * run["iterations"]


def of_cholesky(output):
    return float(re.search(r": ([0-9.]+) s,", output).group(1))


def programs(build):
    weir = str((build / "tools/weir/weir").resolve())
    for pattern, rounds in (("sweep", 32), ("hot", 48), ("compute", 8)):  # each of as many tasks as there are blocks
        yield Program(pattern, 64 << 20, [str(build / "bench/advise/advise_blocks"), pattern, "64", "1024", str(rounds)])
    yield Program("seismic", 6 * 8 * 1536 * 1536, [weir, "run", "seismic", "--json", "--size", "1536", "--iterations", "24", "--repeat", "1",
                                                  "--variants", "weir-blocks", "--no-image"], of_seismic)
    yield Program("stencil3d", 256 * 256 * 256 * 8, by_variant(weir, "stencil3d", "--size 256x256x256 --iterations 5 --sweeps 5"), of_tiers_app)
    yield Program("matmul", 3 * 1536 * 1536 * 8, by_variant(weir, "matmul", "--size 1536 --tile 256"), of_tiers_app)
    yield Program("cholesky", 16 * 17 // 2 * 128 * 128 * 8, [str(build / "apps/cholesky/cholesky_ocr"), "--tiles", "16", "--tile", "128"], of_cholesky)


class Cell:
    def __init__(self, program, ratio, slow):
        self.program, self.ratio, self.slow = program, ratio, slow

    def name(self):
        return f"{self.program.name} {'resident' if self.ratio is None else f'{self.ratio:g}x'} {self.slow:g}"

    def tiers(self):
        fast = 2 * self.program.total if self.ratio is None else int(self.program.total / self.ratio)
        return f"memory={fast // 4096 * 4096}B,emulated={2 * self.program.total}B@{self.slow}"


def cells(build):
    for program in programs(build):
        yield Cell(program, None, 0.25)
        for ratio in RATIOS:
            for slow in SLOW:
                yield Cell(program, ratio, slow)


def environment(**more):
    return {**{name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}, **more}


def last_line(text):
    return (text.strip().splitlines() or ["no output"])[-1]


def setting_of(prediction):
    return {part: str(prediction[part]) for part in PARTS if prediction[part]}


def label(setting):
    return f"{setting['strategy']}, {setting['workers']}"


def advise(build, cell):
    """What is advised, and what was predicted for each setting; or why there is no advice."""
    words = [str(build / "tools/weir/weir"), "advise", "--json", "--tiers", cell.tiers(), *cell.program.command]
    done = subprocess.run(words, env=environment(), capture_output=True, text=True)
    if done.returncode != 0:
        return {"failed": last_line(done.stderr)}
    runs = [each for each in json.loads(done.stdout) if each["object"] == "prediction" and not each["failure"]]
    return {"advised": label(runs[0]), "predicted": {label(each): each["predicted_s"] for each in runs},
            "settings": {label(each): setting_of(each) for each in runs}, "rounds": []}


def run_once(cell, setting):
    begin = time.monotonic()
    done = subprocess.run(cell.program.command, env=environment(**{PARTS[part]: value for part, value in setting.items()}), capture_output=True, text=True)
    wall = time.monotonic() - begin
    if done.returncode != 0:
        raise RuntimeError(f"{label(setting)}: {last_line(done.stderr)}")
    return cell.program.seconds(done.stdout, wall)


def run_round(cell, settings, number):
    """Each setting once, beginning with another one each time."""
    names = list(settings)
    names = names[number % len(names):] + names[:number % len(names)]
    return {name: run_once(cell, settings[name]) for name in names}


def bounds(values):
    """Of the median of what these are samples of: below and above them it is with 5 % probability each."""
    ordered, count = sorted(values), len(values)
    outside, beyond = 0, 0.0  # so many values at each end are left out, and may be with that probability
    while outside < count and beyond + math.comb(count, outside) / 2**count <= DOUBT:
        beyond += math.comb(count, outside) / 2**count
        outside += 1
    return (ordered[outside - 1], ordered[count - outside]) if outside > 0 else (0, math.inf)


class Comparison:
    """The advised setting with another one, over the rounds in which both ran."""

    def __init__(self, data, other, limit):
        both = [each for each in data["rounds"] if other in each]
        ratios = [each[data["advised"]] / each[other] for each in both]
        self.other, self.rounds, self.most = other, len(both), 1 + limit / 100
        self.ratio = statistics.median(ratios) if ratios else 1
        self.low, self.high = bounds(ratios)
        own, others = ([each[name] for each in both] or [0] for name in (data["advised"], other))
        self.advised_s, self.other_s = statistics.median(own), statistics.median(others)
        self.of_least = min(own) / min(others) if both else 1

    def verdict(self):
        return "within" if self.high <= self.most else "behind" if self.low > self.most else "open"


def comparisons(data, limit):
    """With all others, the one that is best first."""
    return sorted((Comparison(data, other, limit) for other in data["settings"] if other != data["advised"]), key=lambda each: -each.ratio)


def measure(build, cell, data, arguments, save):
    """Adds rounds to `data` until the row is decided; each is saved."""
    if not data or "failed" in data:
        data = advise(build, cell)
    try:
        while "failed" not in data and len(data["rounds"]) < arguments.rounds:
            still = [each.other for each in comparisons(data, arguments.limit) if each.verdict() == "open"]
            if not still:
                break
            chosen = {name: data["settings"][name] for name in data["settings"] if name in still or name == data["advised"]}
            data["rounds"].append(run_round(cell, chosen, len(data["rounds"])))
            save(data)
    except RuntimeError as error:
        data = {"failed": str(error)}
    return data


TITLES = ["program", "advised", "predicted s", "median s", "best other", "median s", "advised / best", "bounds", "of the least", "worst", "worst / advised", "rounds",
          ""]


def row(cell, data, limit):
    """The cells of a row, and its verdict."""
    if "failed" in data:
        return [cell.name(), data["failed"]], "failed"
    compared = comparisons(data, limit)
    best, worst = compared[0], compared[-1]
    verdict = next((word for word in ("behind", "open") if any(each.verdict() == word for each in compared)), "within")
    limits = f"{best.low:.2f} to {best.high:.2f}" if best.low > 0 else "too few rounds"
    return [cell.name(), data["advised"], f"{data['predicted'][data['advised']]:.3f}", f"{best.advised_s:.3f}", best.other, f"{best.other_s:.3f}",
            f"{best.ratio:.2f}", limits, f"{best.of_least:.2f}", worst.other, f"{1 / worst.ratio:.1f}", f"{best.rounds} of {len(data['rounds'])}", verdict], verdict


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="", help="cells whose name has this in it, such as 'matmul 2x' or 'hot 3.4x 0.1'")
    parser.add_argument("--rounds", type=int, default=40, help="at most")
    parser.add_argument("--limit", type=float, default=5, help="percent")
    parser.add_argument("--keep", type=pathlib.Path, help="a file with earlier rounds, to which these are added")
    parser.add_argument("--table", action="store_true", help="in Markdown")
    arguments = parser.parse_args()
    kept = json.loads(arguments.keep.read_text()) if arguments.keep and arguments.keep.exists() else {}
    print("| " + " | ".join(TITLES) + " |\n" + "|---" * len(TITLES) + "|" if arguments.table else "  ".join(f"{title:<16}" for title in TITLES))
    verdicts = []
    for cell in cells(arguments.build):
        if arguments.only not in cell.name():
            continue

        def save(data, name=cell.name()):
            kept[name] = data
            if arguments.keep:
                arguments.keep.write_text(json.dumps(kept))

        save(measure(arguments.build, cell, kept.get(cell.name()), arguments, save))
        text, verdict = row(cell, kept[cell.name()], arguments.limit)
        verdicts.append(verdict)
        print("| " + " | ".join(text) + " |" if arguments.table else "  ".join(f"{each:<16}" for each in text), flush=True)
    print("\n" + ", ".join(f"{verdicts.count(word)} {word}" for word in ("within", "behind", "open", "failed") if word in verdicts)
          + f", of {len(verdicts)}, with a limit of {arguments.limit:g} %")
    return 1 if {"behind", "failed"} & set(verdicts) else 0


if __name__ == "__main__":
    sys.exit(main())
