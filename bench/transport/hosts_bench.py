#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the transport between two hosts that this machine plays, beside MPI's own operations, in turns.

hosts_bench.py BUILD [--mpi openmpi|mpich] [--rounds 3]   needs root, iproute2 and that MPI

A table of medians: 8 bytes in microseconds, 1 MiB in MB/s. Where MPI has no one-sided operations between hosts (Open MPI's
over TCP), its messages are what is compared with: 8 bytes and an answer, 16 of 1 MiB and an answer.
"""

import argparse
import os
import statistics
import subprocess
import sys

HOSTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/multi/hosts/hosts.py")
ROWS = ["put_8", "get_8", "fetch_add", "put_1M", "get_1M"]


def run(mpi, program):
    done = subprocess.run([HOSTS, "--mpi", mpi, "--timeout", "60", program], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"hosts_bench.py: {program} has ended with status {done.returncode}")
    return {words[0]: float(words[1]) for words in map(str.split, done.stdout.splitlines()) if len(words) == 2}


def beside(row, mpi):
    """What of MPI's is compared with a row of ours."""
    if row in mpi:
        return row
    return {"put_8": "message_8", "get_8": "message_8", "put_1M": "message_1M", "get_1M": "message_1M"}.get(row)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    folder = os.path.join(options.build, "bench/transport")
    ours, theirs = {}, {}
    for _ in range(options.rounds):
        for program, results in (("link_bench", ours), (f"mpi_bench_{options.mpi}", theirs)):
            for name, value in run(options.mpi, os.path.abspath(os.path.join(folder, program))).items():
                results.setdefault(name, []).append(value)
    print(f"{'':12}{'weir':>10}{options.mpi:>10}{'ratio':>8}")
    for row in ROWS:
        value = statistics.median(ours[row])
        other = beside(row, theirs)
        if other is None:
            print(f"{row:12}{value:10.1f}")
            continue
        their = statistics.median(theirs[other])
        print(f"{row:12}{value:10.1f}{their:10.1f}{value / their:8.2f}  {'' if other == row else other}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
