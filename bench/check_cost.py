#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""How much longer a run takes under weir check, as a table: check_cost.py BUILD [--rounds N] [--only PROGRAM]

BUILD is a folder with tools/weir/weir and apps/*/*_ocr in it. Every program at a small and at a middle size, plain and
checked in turn; times are the medians of whole processes. A few minutes. Exit status 1 when a run fails or weir check finds
something.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import time

SEISMIC = "run seismic --repeat 1 --no-image --variants"
PROGRAMS = {  # the arguments of the small size, of the middle one
    "seismic weir-plain": [f"{SEISMIC} weir-plain --size 64x64 --iterations 4", f"{SEISMIC} weir-plain --size 512x512 --iterations 10"],
    "seismic weir": [f"{SEISMIC} weir --size 64x64 --iterations 4", f"{SEISMIC} weir --size 512x512 --iterations 10"],
    "seismic weir-bands": [f"{SEISMIC} weir-bands --size 64x64 --iterations 4", f"{SEISMIC} weir-bands --size 512x512 --iterations 10"],
    "seismic weir-blocks": [f"{SEISMIC} weir-blocks --size 64x64 --iterations 4", f"{SEISMIC} weir-blocks --size 512x512 --iterations 10"],
    "seismic_ocr": ["--rows 64 --cols 64 --iterations 4 --blocks 8", "--rows 512 --cols 512 --iterations 10 --blocks 16"],
    "seismic_ocr sweeps": ["--rows 64 --cols 64 --iterations 4 --blocks 8 --steps sweeps",
                           "--rows 512 --cols 512 --iterations 10 --blocks 16 --steps sweeps"],
    "cholesky_ocr": ["--tiles 3 --tile 16", "--tiles 8 --tile 64"],
    "fibonacci_ocr": ["--n 6", "--n 14"],
    "globalsum_ocr": ["--parts 4 --numbers 20 --rounds 4", "--parts 16 --numbers 1000 --rounds 20"],
    "nqueens_ocr": ["--n 5 --serial-rows 2", "--n 8 --serial-rows 5"],
    "smithwaterman_ocr": ["--rows 53 --cols 61 --tile 20", "--rows 1000 --cols 1000 --tile 100"],
    "stencil1d_ocr": ["--cells 103 --blocks 5 --iterations 4", "--cells 100000 --blocks 20 --iterations 20"],
    "stencil2d_ocr": ["--n 21 --down 2 --across 3 --iterations 3", "--n 500 --down 4 --across 4 --iterations 10"],
    "uts_ocr": ["--tree T1 --grain 1000000", "--tree T1 --grain 10000"],
}


def command(build, name, arguments):
    program = name.split()[0]
    if program == "seismic":
        return [build / "tools/weir/weir", *arguments.split()]
    return [build / "apps" / program.removesuffix("_ocr") / program, *arguments.split()]


def seconds(words):
    start = time.perf_counter()
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(str(word) for word in words)}: exit status {result.returncode}\n{result.stderr[-2000:]}")
    return time.perf_counter() - start


def measure(build, words, rounds):
    weir = [build / "tools/weir/weir", "check", "--no-advice"]
    plain, checked = [], []
    for _ in range(rounds):
        plain.append(seconds(words))
        checked.append(seconds([*weir, *words]))
    return statistics.median(plain), statistics.median(checked)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    print("| program | arguments | plain | checked | times |\n|---|---|---|---|---|")
    for name, sizes in PROGRAMS.items():
        if arguments.only not in name:
            continue
        for size in sizes:
            plain, checked = measure(arguments.build, command(arguments.build, name, size), arguments.rounds)
            said = size.removeprefix(SEISMIC).split(" ", 2)[-1] if name.startswith("seismic ") else size
            print(f"| {name} | `{said}` | {plain:.3f} s | {checked:.2f} s | {checked / plain:.0f} |", flush=True)


if __name__ == "__main__":
    main()
