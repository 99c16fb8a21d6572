#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A rank on the second host is killed while all wait in different ways: the job ends, its status or its output says that a
rank was killed, and no process is left; an abort ends it with its own status.

losing_test.py openmpi|mpich TRANSPORT_RANK
"""

import os
import pathlib
import signal
import subprocess
import sys
import time

HOSTS = pathlib.Path(__file__).with_name("hosts.py")
MISSING = 77
SECONDS = 60  # that a job may take to end


def start(mpi, *program):
    command = [HOSTS, "--mpi", mpi, "--hosts", "2", "--slots", "2", "--timeout", str(2 * SECONDS), *program]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def environment(process):
    try:
        text = pathlib.Path(f"/proc/{process}/environ").read_bytes()
    except OSError:
        return {}
    return dict(line.split("=", 1) for line in text.decode(errors="replace").split("\0") if "=" in line)


def ranks_of(mark):
    """The processes that have the mark in their environment and a rank of their own: rank -> process."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        variables = environment(folder.name)
        rank = variables.get("OMPI_COMM_WORLD_RANK", variables.get("PMI_RANK"))
        if variables.get("WEIR_TEST_MARK") == mark and rank is not None:
            found[int(rank)] = int(folder.name)
    return found


def wait_for_ranks(mark, count, job):
    end = time.monotonic() + SECONDS
    while len(ranks_of(mark)) < count:
        if time.monotonic() > end or job.poll() is not None:
            sys.exit(f"the job has not started {count} ranks:\n{job.communicate()[0]}")
        time.sleep(0.05)
    return ranks_of(mark)


def finish(job, what):
    begin = time.monotonic()
    try:
        out = job.communicate(timeout=SECONDS)[0]
    except subprocess.TimeoutExpired:
        job.send_signal(signal.SIGTERM)
        sys.exit(f"{what}: the job goes on, {SECONDS} s later:\n{job.communicate()[0]}")
    if job.returncode == MISSING:
        print(out)
        sys.exit(MISSING)
    return out, time.monotonic() - begin


def check(right, what, out):
    if not right:
        sys.exit(f"{what}; the output was:\n{out}")


def kill_one(mpi, program, body):
    mark = f"{os.getpid()}-{body}"
    os.environ["WEIR_TEST_MARK"] = mark
    job = start(mpi, program, body)
    victim = wait_for_ranks(mark, 4, job)[3]
    time.sleep(1)  # most are past their start by then; those that are not must end as well
    os.kill(victim, signal.SIGKILL)
    out, seconds = finish(job, body)
    # Survivors that say who is lost end with status 0, which Hydra may take for that of the job.
    check(job.returncode not in (0, 124) or "lost 3:" in out, f"{body}: nobody says that a rank was killed", out)
    check(not ranks_of(mark), f"{body}: processes are left: {ranks_of(mark)}", out)
    print(f"{body}: ended {seconds:.1f} s after the kill, with status {job.returncode}")


def main():
    mpi, program = sys.argv[1:]
    for body in ("lost_in_a_barrier", "lost_while_sending", "lost_in_a_put", "lost_while_nothing_arrives"):
        kill_one(mpi, program, body)
    job = start(mpi, program, "one_aborts")
    out, _ = finish(job, "one_aborts")
    check(job.returncode == 7, f"one_aborts: the status is the one asked for, 7, and not {job.returncode}", out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
