#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Runs a program with several numbers of PEs, and checks how it ends and what it says.

run_app.py CODE WEIR PES PROGRAM [ARGUMENT...] [--says TEXT...]

CODE is the exit code. PES: numbers with ; between them; one PE is the program started bare, and more are `WEIR run -n`. Each
TEXT has to be in what the program prints to either stream. It runs in an empty folder.
"""
import os
import subprocess
import sys
import tempfile


def main():
    code, weir, pes, *words = sys.argv[1:]
    texts = []
    if "--says" in words:
        at = words.index("--says")
        words, texts = words[:at], words[at + 1:]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("WEIR_", "SHMEM_"))}
    for count in pes.split(";"):
        command = words if count == "1" else [weir, "run", "-n", count, *words]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(command, env=environment, text=True, capture_output=True, timeout=60, cwd=folder)
        printed = done.stdout + done.stderr
        missing = [text for text in texts if text not in printed]
        if done.returncode != int(code) or missing:
            sys.exit(f"{command} ended with {done.returncode}, without {missing}:\n{printed}")


main()
