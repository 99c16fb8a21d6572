#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Holds a program whose data is larger than fast memory to its budget: peak_memory_test.py WEIR STRATEGY

The peak of the process's resident size is at most 2 % and 64 MiB over the budget. All the data would be far above that.
"""
import json
import subprocess
import sys

MIB = 1 << 20
BUDGET = 52 * MIB  # of which `off` leaves an eighth for a task of matmul
MOST = BUDGET * 1.02 + 64 * MIB
APPS = {
    "stencil3d": ["--size", "256", "--block", "32", "--iterations", "1", "--sweeps", "2"],
    "matmul": ["--size", "2560"],
}


def main():
    weir, strategy = sys.argv[1:]
    failed = False
    for app, arguments in APPS.items():
        command = [weir, "run", app, *arguments, "--variants", f"weir-{strategy}", "--repeat", "1", "--json",
                   "--tiers", f"memory={BUDGET // MIB}MiB,file=/tmp:1GiB"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(f"{' '.join(command)}: status {run.returncode}\n{run.stderr}")
        row = json.loads(run.stdout)[0]
        total, peak = row["total_bytes"], row["peak_rss_bytes"]
        if total < MOST + 30 * MIB:
            sys.exit(f"{app}: {total / MIB:.0f} MiB of data are too few to tell")
        print(f"{app} {strategy}: {total / MIB:.0f} MiB of data, peak {(peak - BUDGET) / MIB:+.0f} MiB over the budget")
        failed = failed or peak > MOST
    sys.exit(f"more than {(MOST - BUDGET) / MIB:.1f} MiB over" if failed else 0)


main()
