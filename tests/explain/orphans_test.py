#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""PEs that wait for each other end when what has started them is killed, which has no time to end them.

orphans_test.py HANG     the program of hang_shmem.cpp, of which PE 2 does nothing and the others wait

A process plays mpirun: it sets the variables that Open MPI's sets, and is killed.
"""
import os
import subprocess
import sys
import time

PATIENCE = 60
PES = 4


def start_all(program):
    """Of the process that plays mpirun."""
    for pe in range(PES):
        numbers = {"OMPI_COMM_WORLD_RANK": pe, "OMPI_COMM_WORLD_SIZE": PES, "OMPI_COMM_WORLD_LOCAL_RANK": pe, "OMPI_COMM_WORLD_LOCAL_SIZE": PES}
        env = os.environ | {name: str(number) for name, number in numbers.items()} | {"PMIX_NAMESPACE": f"orphans-{os.getpid()}"}
        print(subprocess.Popen([program, "behind"], env=env, stdout=sys.stderr).pid, flush=True)
    time.sleep(PATIENCE)


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def main():
    if sys.argv[1] == "--start":
        return start_all(sys.argv[2])
    with subprocess.Popen([sys.executable, __file__, "--start", sys.argv[1]], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as starter:
        pes = [int(starter.stdout.readline()) for _ in range(PES)]
        ready = [starter.stderr.readline() for _ in range(PES)]
        starter.kill()
        end = time.monotonic() + PATIENCE
        while any(map(is_alive, pes)) and time.monotonic() < end:
            time.sleep(0.05)
        left = [pe for pe in pes if is_alive(pe)]
        for pe in left:
            os.kill(pe, 9)
        said = starter.stderr.read()
    if left or not all("is ready" in line for line in ready) or f"process {starter.pid}, which has started it, has ended" not in said:
        sys.exit(f"FAILED: {len(left)} PEs are left, or they have not said why they end:\n{''.join(ready)}{said}")


main()
