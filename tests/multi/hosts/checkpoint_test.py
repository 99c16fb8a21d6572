#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An OCR program over two hosts, of whose four ranks one is killed with SIGKILL again and again, goes on from its checkpoints
to the result of an undisturbed run. Hosts that share no folder are told so: the run goes on without, and a restart ends.

checkpoint_test.py openmpi|mpich WEIR OCR_OBJECTS

WEIR_TEST_KILLS and WEIR_TEST_SEED as in ../checkpoint/checkpoint_test.py.
"""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from losing_test import ranks_of

MISSING = 77
HOSTS = pathlib.Path(__file__).with_name("hosts.py")
KILLS = int(os.environ.get("WEIR_TEST_KILLS", "4"))
SEED = int(os.environ.get("WEIR_TEST_SEED", str(random.randrange(1 << 30))))
RANKS = 4
VICTIMS = (2, 1, 3, 0)  # of both hosts in turn
SECONDS = 120  # that a job may take


def check(right, what, out):
    if not right:
        sys.exit(f"{what}; seed {SEED}; the output was:\n{out}")


class Jobs:
    def __init__(self, mpi, weir, program, rounds):
        self.mpi, self.weir, self.program, self.rounds = mpi, weir, program, rounds
        self.mark = f"{os.getpid()}-checkpoint"

    def start(self, *options, own=None):
        command = [HOSTS, "--mpi", self.mpi, "--hosts", "2", "--slots", "2", "--timeout", str(SECONDS),
                   *(["--own", own] if own else []), "--starts-ranks", self.weir, "run", "-n", str(RANKS), "--hosts", "HOSTS",
                   *options, self.program, self.rounds]
        return subprocess.Popen(command, env=os.environ | {"WEIR_WORKERS": "1", "WEIR_TEST_MARK": self.mark},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, job):
        out, error = job.communicate(timeout=SECONDS + 60)
        if job.returncode == MISSING:
            print(error)
            sys.exit(MISSING)
        check(job.returncode != 124, "the job has ended", out + error)
        check(not ranks_of(self.mark), "no process is left", out + error)
        return out, error

    def kill_one(self, job, rank, comes_before, after_s):
        """So long after it has all its ranks and that; unless it has ended by then."""
        while job.poll() is None and not (len(ranks_of(self.mark)) == RANKS and comes_before()):
            time.sleep(0.05)
        time.sleep(after_s)
        victim = ranks_of(self.mark).get(rank)
        if victim is not None:
            os.kill(victim, signal.SIGKILL)


def whole(folder):
    return sorted(name for name in os.listdir(folder) if name.startswith("checkpoint.")) if os.path.isdir(folder) else []


def killed(jobs, right, top):
    """The first is killed when there is a checkpoint, so that there is one to go on from."""
    chooser, folder = random.Random(SEED), top + "/c"
    write = ["--checkpoint", folder, "--checkpoint-every", "0"]
    kills = went_on = ended = 0
    while kills < KILLS or ended == 0:
        restart = ["--restart", folder] if whole(folder) else []
        job = jobs.start(*write, *restart)
        if kills < KILLS:
            comes_before = (lambda: True) if kills > 0 else (lambda: whole(folder))
            jobs.kill_one(job, VICTIMS[kills % RANKS], comes_before, chooser.uniform(0, 1.5))
        out, error = jobs.end(job)
        went_on += bool(restart)
        check(len(whole(folder)) <= 2, "old checkpoints go", whole(folder))
        if job.returncode != 0 or out == "":  # survivors end well, which Hydra may take for the status of the job
            check("damaged" not in error and "another checkpoint" not in error, "the checkpoint is whole", error)
            kills += 1
            continue
        check(out == right, f"after {kills} kills and {went_on} restarts the result is {right!r}", out + error)
        ended += 1
        shutil.rmtree(folder)
    print(f"{kills} killed, {went_on} went on, {ended} ended: {right.strip()}")
    check(went_on > 0, "runs have gone on from a checkpoint", "")


def apart(jobs, right, top):
    """The folder that both hosts have under this name is another one on each."""
    own = top + "/own"
    os.mkdir(own)
    job = jobs.start("--checkpoint", own, "--checkpoint-every", "0", own=own)
    out, error = jobs.end(job)
    check(job.returncode == 0 and out == right, "a run without checkpoints goes on", out + error)
    check(f"{own}/next: rank 0 has made this folder, and this rank does not see it" in error, "it says why there are none", error)

    shared = top + "/shared"
    job = jobs.start("--checkpoint", shared, "--checkpoint-every", "0")
    jobs.end(job)
    [last] = whole(shared)
    # Below the first host's folder alone.
    job = jobs.start("--restart", own, own=own)
    out, error = jobs.end(job)
    check(job.returncode != 0 and out == "" and f"restart={own}: there is no whole checkpoint" in error, "no run goes on", out + error)
    job = jobs.start("--restart", shared)
    out, error = jobs.end(job)
    check(out == right, f"{last} leads to the result", out + error)


def main():
    mpi, weir, program = sys.argv[1:]
    print(f"seed {SEED}")
    rounds = "20"
    right = subprocess.run([program, rounds], capture_output=True, text=True, check=True).stdout
    for part in killed, apart:
        with tempfile.TemporaryDirectory() as top:
            part(Jobs(mpi, weir, program, rounds), right, top)


if __name__ == "__main__":
    main()
