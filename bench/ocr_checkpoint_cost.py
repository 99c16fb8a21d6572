#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""What checkpoints cost OCR programs: ocr_checkpoint_cost.py BUILD FOLDER [ROUNDS [PROGRAM]]

Whole processes of some seconds, in turns without a checkpoint and with one each second in FOLDER/checkpoints, which is emptied.
Medians as a table. Nothing else should run.
"""

import os
import pathlib
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


def seconds(command, **variables):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    start = time.perf_counter()
    subprocess.run(command, env={**kept, **variables}, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) / "checkpoints"
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    print("| program | a checkpoint | without | with | |\n|---|---|---|---|---|", flush=True)
    for program in PROGRAMS:
        if len(sys.argv) > 4 and sys.argv[4] not in " ".join(program):
            continue
        command = [str(build / program[0]), *program[1:]]
        without, with_them, size, made = [], [], 0, 0
        for _ in range(rounds):
            without.append(seconds(command))
            shutil.rmtree(folder, ignore_errors=True)
            with_them.append(seconds(command, WEIR_CHECKPOINT=str(folder), WEIR_CHECKPOINT_EVERY="1"))
            for last in folder.glob("checkpoint.*"):
                made = int(last.suffix[1:])
                size = sum(file.stat().st_size for file in last.iterdir())
        plain, saved = statistics.median(without), statistics.median(with_them)
        name = " ".join([pathlib.Path(program[0]).name, *program[1:]])
        print(f"| `{name}` | {made} of {size / 1e6:.1f} MB | {plain:.2f} s ({min(without):.2f} to {max(without):.2f}) "
              f"| {saved:.2f} s ({min(with_them):.2f} to {max(with_them):.2f}) | {100 * (saved / plain - 1):+.1f} % |", flush=True)


if __name__ == "__main__":
    main()
