#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Lets PEs stand still in one way, and checks that `weir explain` says where each is and who waits for whom.

explain_shmem_test.py CASE WEIR HANG

WEIR is the command line, HANG the program of hang_shmem.cpp. Cases that begin with "returns" are of PEs that wait for one which has
left: they must end, with a name.
"""
import json
import os
import re
import signal
import subprocess
import sys
import time

PATIENCE = 60
PES = 4


def fail(text):
    sys.exit(f"FAILED: {text}")


class Job:
    """PEs of the program by weir run, until the end of the with statement."""

    def __init__(self, weir, program, case):
        self.process = subprocess.Popen([weir, "run", "-n", str(PES), program, case], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, env=dict(os.environ, WEIR_BIND="none"))
        for _ in range(PES):
            if "is ready" not in self.process.stdout.readline():
                self.process.kill()
                fail(f"the PEs of {case} did not start: {self.process.stdout.read()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.stdout.close()
        self.process.wait(PATIENCE)


def explain(weir, process, *options):
    return subprocess.run([weir, "explain", str(process), *options], capture_output=True, text=True, timeout=PATIENCE)


def job_of(weir, process):
    done = explain(weir, process, "--json")
    if done.returncode != 0:
        fail(f"weir explain --json ended with {done.returncode}: {done.stderr}")
    objects = json.loads(done.stdout)
    found = [o for o in objects if o.get("object") == "shmem_job"]
    return (found[0] if found else None), objects


def waits(job, pe):
    return job["pes"][pe]["waits"]


def is_in(job, pe, routine, missing):
    return any(w["routine"] == routine and w["missing"] == missing for w in waits(job, pe))


def root_is(job, pe, waiters):
    return bool(job["roots"]) and job["roots"][0] == {"pe": pe, "waiters": waiters}


def waits_for_word(job, pe, routine, comparison, wanted, value):
    return any((w["routine"], w["comparison"], w["wanted"], w["value"], w["object"]) == (routine, comparison, wanted, value, "never")
               for w in waits(job, pe))


# Per case: what --json must say, sooner or later, and what the text must have.
CASES = {
    "behind": (lambda j: root_is(j, 2, [0, 1, 3]) and all(is_in(j, pe, "shmem_barrier_all", [2]) for pe in (0, 1, 3)),
               [r"at the root: PE 2 \(process \d+\): in no SHMEM call that waits.*; PEs 0-1, 3 wait for it",
                r"PE 3 \(process \d+\): in shmem_barrier_all for [\d.]+ s: with PEs 0-3; PE 2 has not come to it"]),
    "word": (lambda j: all(waits_for_word(j, pe, "shmem_long_wait_until", ">=", "7", "0") for pe in range(PES)),
             [r"in shmem_long_wait_until for [\d.]+ s: never is 0, and it waits until that is >= 7"]),
    "any_word": (lambda j: any(w["routine"] == "shmem_uint64_wait_until_any" and w["kind"] == "words" for w in waits(j, 0)),
                 [r"one of 3 words from \S*words on"]),
    "circle": (lambda j: sorted(j["cycle"]) == [0, 1] and is_in(j, 0, "shmem_barrier_all", [1]) and waits(j, 1)[0]["pe"] == 0,
               ["in a circle: PE 0 waits for PE 1 PE 1 waits for PE 0",
                r"in shmem_set_lock for [\d.]+ s: the lock lock_word, which PE 0 has or gets before it"]),
    "team": (lambda j: root_is(j, 2, [0]) and is_in(j, 0, "shmem_long_sum_reduce", [2]) and waits(j, 0)[0]["members"] == [0, 2],
             [r"in shmem_long_sum_reduce for [\d.]+ s: with PEs 0, 2; PE 2 has not come to it"]),
    "active_set": (lambda j: root_is(j, 1, [0, 2, 3]), [r"in shmem_barrier for [\d.]+ s: PE 1 has not come to it"]),
    "heap": (lambda j: root_is(j, 1, [0, 2, 3]) and is_in(j, 3, "shmem_malloc", [1]),
             [r"in shmem_malloc for [\d.]+ s: with PEs 0-3; PE 1 has not come to it"]),
    "finalize": (lambda j: root_is(j, 1, [0, 2, 3]) and j["pes"][0]["state"] == "finalizing",
                 [r"has left: in shmem_finalize, or out of main, for [\d.]+ s; PE 1 has not"]),
}
# Of those that wait in vain: the routine that says so.
RETURNS = {"returns_before_barrier": "shmem_barrier_all", "returns_before_barrier_apart": "shmem_barrier_all", "returns_before_word": "shmem_long_wait_until",
           "returns_with_lock": "shmem_set_lock", "returns_before_heap": "shmem_malloc|shmem_finalize|PE 0 of"}


def until_it_says(weir, process, check):
    deadline = time.monotonic() + PATIENCE
    while True:
        job, objects = job_of(weir, process)
        if job is not None and len(job["pes"]) == PES and check(job):
            return job, objects
        if time.monotonic() > deadline:
            fail(f"it is not told where the PEs are:\n{json.dumps(objects, indent=1)[:6000]}")
        time.sleep(0.1)


def check_case(case, weir, program):
    check, texts = CASES[case]
    with Job(weir, program, case) as hung:
        job, _ = until_it_says(weir, hung.process.pid, check)
        for process in (hung.process.pid, job["pes"][3]["process"]):
            done = explain(weir, process)
            said = " ".join(done.stdout.split())
            for text in texts:
                if not re.search(text, said):
                    fail(f"no {text!r} of process {process} in:\n{done.stdout}{done.stderr}")


# Both: the job, and the tasks of the runtime in PE 0.
def check_runtime(weir, program):
    with Job(weir, program, "runtime") as hung:
        job, _ = until_it_says(weir, hung.process.pid, lambda j: is_in(j, 0, "shmem_barrier_all", [1, 2, 3]))
        done = explain(weir, job["pes"][0]["process"])
        if "SHMEM job of 4 PEs" not in done.stdout or "task 'endless'" not in " ".join(done.stdout.split()):
            fail(f"not both of them:\n{done.stdout}{done.stderr}")


# A stopped PE does nothing for whoever asks.
def check_stopped(weir, program):
    with Job(weir, program, "behind") as hung:
        job, _ = until_it_says(weir, hung.process.pid, CASES["behind"][0])
        process = job["pes"][2]["process"]
        os.kill(process, signal.SIGSTOP)
        until_it_says(weir, process, lambda j: j["pes"][2]["life"] == "stopped" and root_is(j, 2, [0, 1, 3]))
        if f"(process {process}, stopped: kill -CONT lets it go on)" not in " ".join(explain(weir, process).stdout.split()):
            fail("it is not told that it is stopped")
        os.kill(process, signal.SIGCONT)


# All others are stopped, so that none of them ends the job when it sees the loss.
def check_lost(weir, program):
    with Job(weir, program, "behind") as hung:
        job, _ = until_it_says(weir, hung.process.pid, CASES["behind"][0])
        processes = [pe["process"] for pe in job["pes"]]
        os.kill(hung.process.pid, signal.SIGSTOP)
        for pe in (0, 1, 3):
            os.kill(processes[pe], signal.SIGSTOP)
        os.kill(processes[2], signal.SIGKILL)
        until_it_says(weir, processes[0], lambda j: j["pes"][2]["state"] == "lost")
        if "PE 2 (process %d): is lost" % processes[2] not in " ".join(explain(weir, processes[0]).stdout.split()):
            fail("it is not told that it is lost")
        for process in (*(processes[pe] for pe in (0, 1, 3)), hung.process.pid):
            os.kill(process, signal.SIGCONT)


def expect_error(done, *texts):
    if done.returncode != 1 or not all(text in done.stderr for text in texts):
        fail(f"status {done.returncode}, expected 1 and {texts}:\n{done.stdout}{done.stderr}")


# A process that is none, and memory that has the name and holds something else.
def check_errors(weir, _):
    expect_error(explain(weir, os.getpid()), "has no Weir runtime", "Nor is it a PE of a SHMEM job")
    file = os.memfd_create("weir heap")
    os.truncate(file, 1 << 20)
    expect_error(explain(weir, os.getpid()), "SHMEM job that starts")
    os.pwrite(file, (0x7350457269655773).to_bytes(8, "little") + (99).to_bytes(4, "little"), 0)
    expect_error(explain(weir, os.getpid()), "another version of libweir-shmem", "of version 99")


def check_returns(case, weir, program):
    apart = {"WEIR_SHMEM_REMOTE": "all"} if case.endswith("_apart") else {}
    done = subprocess.run([weir, "run", "-n", str(PES), program, case.removesuffix("_apart")], capture_output=True, text=True,
                          timeout=PATIENCE, env=dict(os.environ, **apart))
    if done.returncode != 1 or not re.search(rf"({RETURNS[case]}).*PEs? 1", done.stderr):
        fail(f"status {done.returncode}, expected 1 and the name of PE 1:\n{done.stderr}")


def main():
    case, weir, program = sys.argv[1:]
    special = {"runtime": check_runtime, "stopped": check_stopped, "lost": check_lost, "errors": check_errors}
    if case in special:
        special[case](weir, program)
    elif case in RETURNS:
        check_returns(case, weir, program)
    else:
        check_case(case, weir, program)


main()
