#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""What checkpoints cost OCR programs: ocr_checkpoint_cost.py BUILD FOLDER [ROUNDS [PROGRAM]]

Whole processes of some seconds, in turns without a checkpoint, with an interval in which none falls, and with one each second in
FOLDER/checkpoints, which is emptied. Medians as a table: the time without, and how much more the other two take, as the median
over rounds of the quotient; of the second, which is a small difference, by processor time too. Nothing else should run.
"""

import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import time

PROGRAMS = [
    ["apps/cholesky/cholesky_ocr", "--tiles", "48", "--tile", "128"],
    ["apps/cholesky/cholesky_ocr", "--tiles", "40", "--tile", "128"],
    ["apps/stencil2d/stencil2d_ocr", "--iterations", "900"],
    ["tests/multi/checkpoint/guids/ocr_objects", "5000"],
]
EVERY = [None, "1000", "1"]  # seconds


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(command, folder, every):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    shutil.rmtree(folder, ignore_errors=True)
    if every is not None:
        kept |= {"WEIR_CHECKPOINT": str(folder), "WEIR_CHECKPOINT_EVERY": every}
    start, used = time.perf_counter(), processor_seconds()
    subprocess.run(command, env=kept, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start, processor_seconds() - used


def more(rows, plain, which):
    quotients = [100 * (row[which] / other[which] - 1) for row, other in zip(rows, plain)]
    return f"{statistics.median(quotients):+.1f} % ({min(quotients):+.1f} to {max(quotients):+.1f})"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) / "checkpoints"
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    print("| program | without | none made | by processor time | one each second | checkpoints |\n|---|---|---|---|---|---|", flush=True)
    for program in PROGRAMS:
        if len(sys.argv) > 4 and sys.argv[4] not in " ".join(program):
            continue
        command = [str(build / program[0]), *program[1:]]
        taken, size, made = {every: [] for every in EVERY}, 0, 0
        for i in range(rounds):
            for every in EVERY[i % 3 :] + EVERY[: i % 3]:
                taken[every].append(seconds(command, folder, every))
                for last in folder.glob("checkpoint.*"):
                    made = int(last.suffix[1:])
                    size = sum(file.stat().st_size for file in last.iterdir())
        plain = [row[0] for row in taken[None]]
        name = " ".join([pathlib.Path(program[0]).name, *program[1:]])
        print(f"| `{name}` | {statistics.median(plain):.2f} s ({min(plain):.2f} to {max(plain):.2f}) | {more(taken['1000'], taken[None], 0)} "
              f"| {more(taken['1000'], taken[None], 1)} | {more(taken['1'], taken[None], 0)} | {made} of {size / 1e6:.1f} MB |", flush=True)


if __name__ == "__main__":
    main()
