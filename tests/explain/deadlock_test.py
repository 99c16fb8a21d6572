#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Whether a job in which all PEs wait for each other ends with what each waits for, and one that only looks so goes on.

deadlock_test.py CASE PES COMMAND...     the command starts PES PEs of the program of deadlock_shmem.cpp
"""
import os
import re
import signal
import subprocess
import sys
import time

PATIENCE = 100
MISSING = 77
WAIT = "all PEs wait, and nothing can end that:.*"
NEVER = r"in shmem_long_wait_until, until never, which is 0, is >= 7"
LEFT = "has left"

# What must be said of a job that ends; those that are not here go on, and end well.
SAID = {
    "words": [WAIT, rf"PEs 0-3 {NEVER}"],
    "lock_and_barrier": [WAIT, r"PEs? 0.* in shmem_barrier_all, for PE", r"PE 1 in shmem_set_lock, for the lock lock_word, which PE 0 has or gets before it"],
    "teams": [WAIT, r"PEs? 0.* in shmem_team_sync, for PE"],
    "heap": [WAIT, rf"PE 1 {NEVER}", r"PEs? 0.* in shmem_malloc, for PE"],
    "threads": [WAIT, r"PEs? 0.* in shmem_long_wait_until, until never, which is 0, is < 0", "; in shmem_set_lock, for the lock lock_word|"
                r"in shmem_set_lock, for the lock lock_word, which PE \d has or gets before it; in "],
    "one_has_left": [WAIT, rf"PEs 0, 2-3 {NEVER}", f"PE 1 {LEFT}"],
    "lock_has_left": [rf"shmem_set_lock: waits for PE 1, which {LEFT}"],
}


def fail(text):
    sys.exit(f"FAILED: {text}")


def go_on(line):
    """The process that a PE has stopped goes on when a deadlock would have been found."""
    stopped = re.match(r"stopped (\d+)", line)
    if stopped is None:
        return
    time.sleep(5)
    os.kill(int(stopped.group(1)), signal.SIGCONT)


def main():
    case, pes, *command = sys.argv[1:]
    with subprocess.Popen([*command, case], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
        try:
            if case == "stopped":
                go_on(job.stdout.readline())
            out, said = job.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            job.terminate()
            fail(f"it goes on, {PATIENCE} s later:\n{job.communicate()[1]}")
    if job.returncode == MISSING:
        sys.exit(MISSING)
    if case not in SAID:
        if job.returncode != 0 or "weir:" in said:
            fail(f"status {job.returncode}, expected 0 and nothing said:\n{out}{said}")
        return
    wanted = [text if pes == "4" else text.replace("PEs 0-3", "PE 0").replace(WAIT, "waits for itself") for text in SAID[case]]
    for text in wanted:
        if job.returncode == 0 or not re.search(text, said):
            fail(f"status {job.returncode}, expected another than 0 and {text!r}:\n{said}")


main()
