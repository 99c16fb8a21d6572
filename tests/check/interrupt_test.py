#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Ctrl-C ends a loop of a shell in which `weir check` runs a program, and what was found until then is told.

interrupt_test.py WEIR PROGRAM...    PROGRAM makes one mistake, and then goes on for ever
"""
import json
import re
import signal
import sys

from terminal import fail, run

LOOP = 'for i in 1 2 3; do echo "run $i" >&2; "$@"; done; echo after >&2'


def ctrl_c(command, told):
    shown, output, status = run(["bash", "-c", LOOP, "bash", *command], 80, interrupt=told)
    if status != -signal.SIGINT or "run 1" not in shown or re.search("run 2|after", shown):
        fail(f"the loop ended with {status}: {shown}{output}")
    return shown, output


def main():
    weir, *program = sys.argv[1:]
    shown, _ = ctrl_c([weir, "check", *program], "that it has as in")
    if not re.search(r"ended by signal 2 \(Interrupt\); until then 1 mistake found", shown):
        fail(f"no summary: {shown}")
    _, output = ctrl_c([weir, "check", "--json", *program], "for ever")
    if [finding["finding"] for finding in json.loads(output)] != ["wrong-mode"]:
        fail(f"not the one finding: {output}")


main()
