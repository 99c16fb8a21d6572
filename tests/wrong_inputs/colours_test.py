#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Colours: on a terminal, and only there; not with NO_COLOR, TERM=dumb or --json; the text is the same without them.

colours_test.py WEIR PROGRAM    PROGRAM: what makes mistakes that weir check finds
"""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"
sys.path.insert(0, str(GOLDEN))
import weir_trace

CODE = re.compile(r"\033\[[0-9;]*m")
MACHINE = "pack:1 [numa(memory=24GB)] [numa(memory=4GB)] core:2 pu:1"


def on_terminal(command, **environment):
    """What is shown where both standard output and standard error are a terminal of 80 columns."""
    master, slave = pty.openpty()
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR" and not name.startswith("WEIR_")}
    env = {**env, "TERM": "xterm", "COLUMNS": "80", **environment}
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=env)
    os.close(slave)
    shown = b""
    while True:
        try:
            text = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not text:
            break
        shown += text
    process.wait()
    os.close(master)
    return shown.decode().replace("\r\n", "\n")


def in_pipe(command):
    env = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    result = subprocess.run(command, env={**env, "TERM": "xterm", "COLUMNS": "80"}, capture_output=True, text=True,
                            check=False)
    return result.stdout + result.stderr


def expect(condition, text):
    if not condition:
        sys.exit(f"FAILED: {text}")


def without_progress(text):
    return re.sub(r"\r[^\n\r]*\033\[K", "", text)


def main():
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "chain.weir"
        trace.write_bytes(weir_trace.convert(json.loads((GOLDEN / "traces" / "chain.json").read_text())))
        compare(trace)


def compare(trace):
    weir, check_program = sys.argv[1:3]
    commands = {"topo": [weir, "topo", "--input", MACHINE], "report": [weir, "report", str(trace)],
                "error": [weir, "topo", "--nosuch"], "check": [weir, "check", check_program, "wrong_mode"]}
    for name, command in commands.items():
        coloured = without_progress(on_terminal(command))
        plain = in_pipe(command)
        expect(CODE.search(coloured), f"{name}: no colour on a terminal: {coloured!r}")
        expect("\033" not in plain, f"{name}: a code in a pipe: {plain!r}")
        if name != "check":  # what it says of addresses differs from run to run
            expect(CODE.sub("", coloured) == plain, f"{name}: another text than in a pipe: {coloured!r} {plain!r}")
        for off in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            shown = without_progress(on_terminal(command, **off))
            expect(not CODE.search(shown), f"{name}: colours with {off}: {shown!r}")
    expect("\033[1;31mweir:\033[0m unknown option" in on_terminal(commands["error"]), "an error is not red")
    expect(not CODE.search(on_terminal([*commands["report"], "--json"])), "colours in JSON")
    expect(CODE.search(on_terminal(commands["topo"], NO_COLOR="")), "an empty NO_COLOR is none")


main()
