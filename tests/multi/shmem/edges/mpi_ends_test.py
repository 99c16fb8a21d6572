#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How SHMEM programs end over an MPI.

usage: mpi_ends_test.py MPI_RANKS openmpi|mpich EDGES
"""
import os
import subprocess
import sys
import tempfile

MPI_RANKS, MPI, EDGES = sys.argv[1:4]
SKIPPED = 77


def run(transport, how, status):
    """The end of two PEs, and what the one that ends the job has written to its file."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([MPI_RANKS, MPI, "2", EDGES, "prints", how, str(status)], cwd=folder, capture_output=True, text=True,
                              timeout=240, check=False, env={**os.environ, "WEIR_TRANSPORT": transport})
        if done.returncode == SKIPPED:
            sys.exit(SKIPPED)
        with open(f"{folder}/out.0", encoding="utf-8") as file:
            return done, file.read()


def main():
    wrong = 0
    for transport in "joined", "mpi":
        for how, status in ("global_exit", 7), ("exit", 3):
            done, written = run(transport, how, status)
            fails = [word for word in ("Assertion", "Internal error") if word in done.stderr + done.stdout]
            if done.returncode != status or written != "result of PE 0\n" or fails:
                print(f"{MPI} {transport} {how} {status}: status {done.returncode}, file {written!r}, printed:\n"
                      f"{done.stdout}{done.stderr}")
                wrong += 1
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
