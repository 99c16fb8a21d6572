#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Runs a program with 1, 2 and 8 workers, and checks how it ends and what it says.

run_program.py CODE PROGRAM [ARGUMENT...] [--says TEXT...]

CODE is the exit code. Each TEXT has to be in what the program prints to either stream.
"""
import os
import subprocess
import sys


def main():
    words, texts = sys.argv[2:], []
    if "--says" in words:
        at = words.index("--says")
        words, texts = words[:at], words[at + 1:]
    for workers in ("1", "2", "8"):
        environment = dict(os.environ, WEIR_WORKERS=workers)
        done = subprocess.run(words, env=environment, text=True, capture_output=True, timeout=60)
        printed = done.stdout + done.stderr
        missing = [text for text in texts if text not in printed]
        if done.returncode != int(sys.argv[1]) or missing:
            sys.exit(f"{words} with {workers} workers ended with {done.returncode}, without {missing}:\n{printed}")


main()
