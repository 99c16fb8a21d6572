#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Runs a program with 1, 2 and 8 workers, or over ranks, and checks how it ends and what it says.

run_program.py CODE PROGRAM [ARGUMENT...] [--says TEXT...] [--ranks]

CODE is the exit code. Each TEXT has to be in what the program prints to either stream. With --ranks it runs as jobs of
as many processes of one worker as the variable WEIR_TEST_RANKS says: 2 without it, "2,4" for jobs of two and of four.
Each has to end with CODE; where that is a signal, one has to, and the others then end with 1, as a rank is lost.
"""
import os
import subprocess
import sys
import threading

TIMEOUT_S = 60


def run(words, variables):
    environment = dict(os.environ, **variables)
    done = subprocess.run(words, env=environment, text=True, capture_output=True, timeout=TIMEOUT_S)
    return [done.returncode], done.stdout + done.stderr


def run_ranks(words, ranks):
    job, processes = f"ocr-program-{os.getpid()}-{ranks}", []
    out_end, in_end = os.pipe()
    for rank in range(ranks):
        environment = dict(os.environ, WEIR_JOB=job, WEIR_WORKERS="1")
        environment.update({name: str(rank) for name in ("WEIR_RANK", "WEIR_HOST_RANK")})
        environment.update({name: str(ranks) for name in ("WEIR_RANKS", "WEIR_HOST_RANKS")})
        processes.append(subprocess.Popen(words, env=environment, stdout=in_end, stderr=in_end))
    os.close(in_end)
    timer = threading.Timer(TIMEOUT_S, lambda: [process.kill() for process in processes])
    timer.start()
    with os.fdopen(out_end, errors="replace") as output:
        printed = output.read()
    codes = [process.wait() for process in processes]
    timer.cancel()
    return codes, printed


def is_as_wanted(codes, code):
    if code >= 0 or len(codes) == 1:
        return all(each == code for each in codes)
    return code in codes and all(each in (code, 1) for each in codes)


def check(what, code, texts, ended):
    codes, printed = ended
    missing = [text for text in texts if text not in printed]
    if missing or not is_as_wanted(codes, code):
        sys.exit(f"{what} ended with {codes}, not {code}, or without {missing}:\n{printed}")


def main():
    words, texts = sys.argv[2:], []
    over_ranks = words[-1] == "--ranks"
    if over_ranks:
        words.pop()
    if "--says" in words:
        at = words.index("--says")
        words, texts = words[:at], words[at + 1:]
    code = int(sys.argv[1])
    if not over_ranks:
        for workers in ("1", "2", "8"):
            check(f"{words} with {workers} workers", code, texts, run(words, {"WEIR_WORKERS": workers}))
        return
    for ranks in os.environ.get("WEIR_TEST_RANKS", "2").split(","):
        check(f"{words} on {ranks} ranks", code, texts, run_ranks(words, int(ranks)))


main()
