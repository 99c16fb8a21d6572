#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""How long OCR programs stand still for a checkpoint: ocr_checkpoint_halts.py BUILD FOLDER [ROUNDS [MIB[,MIB...] [OTHER]]]

`ocr_blocks` with so many MiB in data blocks of 64 KiB and of 16 MiB, and a checkpoint each second in FOLDER/checkpoints, which is
emptied. OTHER is another build of that program, run in turns with the one of BUILD. Medians as a table, of a round's mean over its
checkpoints: from when no EDT began any more until none ran; from then on until they began again; until all was on the device; and
the whole run. Nothing else should run.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

KIB = 1024
BLOCKS = [64 * KIB, 16 * KIB * KIB]
SECONDS = 3  # of EDTs, about


def run(program, arguments, folder, weir):
    shutil.rmtree(folder / "checkpoints", ignore_errors=True)
    trace = folder / "halts.weir"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    start = time.perf_counter()
    subprocess.run([program, *arguments], stdout=subprocess.DEVNULL, check=True,
                   env={**kept, "WEIR_TRACE": str(trace), "WEIR_CHECKPOINT": str(folder / "checkpoints"), "WEIR_CHECKPOINT_EVERY": "1"})
    seconds = time.perf_counter() - start
    report = json.loads(subprocess.run([weir, "report", "--json", trace], capture_output=True, check=True).stdout)
    counters = report[0]["counters"]
    made = counters["checkpoints"]
    if made == 0:
        sys.exit(f"{program} {arguments}: no checkpoint was made")
    trace.unlink()
    return [counters[f"checkpoint_{what}_ns"] / made / 1e6 for what in ("settling", "still", "written")] + [seconds, made]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    sizes = [int(mib) for mib in sys.argv[4].split(",")] if len(sys.argv) > 4 else [64, 256, 1024]
    programs = [build / "tests/multi/checkpoint/guids/ocr_blocks"] + [pathlib.Path(other) for other in sys.argv[5:]]
    print("| blocks | program | checkpoints | settling | still | until written | run |\n|---|---|---|---|---|---|---|", flush=True)
    for mib in sizes:
        for block in BLOCKS:
            passes = max(1, round(0.5e-3 * 4e9 / block))  # an EDT takes half a millisecond, or one pass
            edt_s = max(0.5e-3, block / 4e9)
            lanes = 4
            steps = round(SECONDS * 2 / edt_s / lanes)
            arguments = [str(n) for n in (mib * KIB * KIB // block, block, lanes, steps, passes)]
            results = {program: [] for program in programs}
            for i in range(rounds):
                for program in programs[:: 1 if i % 2 == 0 else -1]:
                    results[program].append(run(program, arguments, folder, build / "tools/weir/weir"))
            for program, rows in results.items():
                settling, still, written, seconds, made = (statistics.median(column) for column in zip(*rows))
                least, most = min(row[1] for row in rows), max(row[1] for row in rows)
                print(f"| {mib} MiB of {block // KIB} KiB | `{program.name}` | {made:.0f} | {settling:.1f} ms | {still:.1f} ms ({least:.1f} to {most:.1f}) "
                      f"| {written:.0f} ms | {seconds:.2f} s |", flush=True)


if __name__ == "__main__":
    main()
