#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tools for SHMEM programs, of four PEs on two hosts: the trace and its report, the checks, and what each PE waits for.

tools_test.py openmpi|mpich WEIR TRACED MISTAKES HANG
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HOSTS = pathlib.Path(__file__).with_name("hosts.py")
MISSING = 77
SECONDS = 60  # that a job may take
MPI, WEIR, TRACED, MISTAKES, HANG = sys.argv[1:]
NEXT = 10 * 8 + 1000 + 8  # bytes that each PE of TRACED puts to the next one


def command(*program):
    return [HOSTS, "--mpi", MPI, "--hosts", "2", "--slots", "2", "--timeout", str(SECONDS), *program]


def check(right, what, out):
    if not right:
        sys.exit(f"{what}; the output was:\n{out}")


def run(*program, **variables):
    done = subprocess.run(command(*program), env=os.environ | variables, capture_output=True, text=True, check=False)
    if done.returncode == MISSING:
        print(done.stderr)
        sys.exit(MISSING)
    return done


def trace(folder):
    done = run(TRACED, "finalize", WEIR_TRACE=f"{folder}/t.weir")
    check(done.returncode == 0, "a traced run ends well", done.stdout + done.stderr)
    check(sorted(os.listdir(folder)) == [f"t.{pe}.weir" for pe in range(4)], "each PE leaves a file", os.listdir(folder))
    done = subprocess.run([WEIR, "report", f"{folder}/t.weir", "--json"], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)[0]
    check(report["pes"] == 4 and report["missing"] == [], "the report has all PEs", done.stdout)
    traffic = {(t["from"], t["to"]): t["put_bytes"] for t in report["traffic"]}
    for pe in range(4):
        check(traffic.get((pe, (pe + 1) % 4)) == NEXT, f"bytes that PE {pe} has put to the next one", done.stdout)


def mistakes():
    for mistake, said in [("other_count", "nelems 3"), ("one_barrier_more", "shmem_finalize"),
                          ("other_psync", "and waits for PE"), ("ends_early", "the end of the program")]:
        done = run(MISTAKES, mistake, WEIR_CHECK="1")
        lines = [line for line in done.stderr.splitlines() if "weir: PE " in line]
        check(done.returncode != 0 and any(said in line and "PE 1" in line for line in lines),
              f"{mistake} is named with both PEs, and ends the job (status {done.returncode})", done.stdout + done.stderr)
    done = run(MISTAKES, "in_place", WEIR_CHECK="1")
    check(done.returncode == 0 and "weir:" not in done.stderr, "what is right is not named", done.stdout + done.stderr)


def pes_of(mark):
    """PE -> process, of those that have the mark in their environment."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "environ").read_bytes().decode(errors="replace")
        except OSError:
            continue
        variables = dict(line.split("=", 1) for line in text.split("\0") if "=" in line)
        rank = variables.get("OMPI_COMM_WORLD_RANK", variables.get("PMI_RANK"))
        if variables.get("WEIR_TEST_MARK") == mark and rank is not None:
            found[int(rank)] = int(folder.name)
    return found


def explain():
    mark = f"tools-{os.getpid()}"
    with subprocess.Popen(command(HANG, "behind"), env=os.environ | {"WEIR_TEST_MARK": mark}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as job:
        said, end = "", time.monotonic() + SECONDS
        waits = "in shmem_barrier_all for .*: with PEs 0-1 and 2 on other hosts; all of this host have come to it"
        while not re.search(rf"PE 0 .*{waits}.*\n.*PE 1 .*{waits}", said):
            check(time.monotonic() < end and job.poll() is None, "PEs 0 and 1 wait in a barrier for another host's", said)
            time.sleep(0.1)
            if 0 in (found := pes_of(mark)):
                done = subprocess.run(["nsenter", "-t", str(found[0]), "-n", WEIR, "explain", str(found[0])], capture_output=True,
                                      text=True, check=False)
                said = done.stdout + done.stderr
        check("4 PEs, 2 of them on this host" in said, "the PEs of other hosts are counted", said)
        job.terminate()
        job.communicate()


def main():
    with tempfile.TemporaryDirectory() as folder:
        trace(folder)
    mistakes()
    explain()


if __name__ == "__main__":
    main()
