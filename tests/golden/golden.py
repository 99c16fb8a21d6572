#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Runs one golden case, and compares what it prints with what the case says.

A case is a text file:

    $ weir topo --input "pack:1 core:2 pu:1" | head -1     one shell line; `weir` is the program under test
    status 0                                               its exit status
    --- stdout                                             what it prints, up to the next line that starts with ---
    ...
    --- stderr                                             left out when it prints nothing there
    ...

`--- stdout shape` compares the shape of a JSON text: keys, in their order, and types; of an array the distinct shapes
of its elements. The line runs in an empty folder, with COLUMNS=80, TRACES a folder of traces, made of the descriptions
in traces/, and no WEIR_* variable.

    golden.py WEIR CASE...            compare
    golden.py --update WEIR CASE...   write what is printed now into the cases
"""

import argparse
import difflib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import weir_trace

DESCRIPTIONS = pathlib.Path(__file__).resolve().parent / "traces"


def shape(value):
    if isinstance(value, dict):
        return {key: shape(each) for key, each in value.items()}
    if isinstance(value, list):
        distinct = []
        for each in map(shape, value):
            if each not in distinct:
                distinct.append(each)
        return distinct
    if value is None or isinstance(value, (bool, str)):
        return type(value).__name__
    return "number"


def as_shape(text):
    return json.dumps(shape(json.loads(text)), indent=1) + "\n"


def read_case(path):
    """The command, and the expected status and sections by their titles."""
    command, status, *rest = path.read_text().splitlines(keepends=True)
    sections, title = {"status": status.split()[1]}, None
    for line in rest:
        if line.startswith("--- "):
            title = line[4:].strip()
            sections[title] = ""
        else:
            sections[title] += line
    return command.removeprefix("$ ").strip(), sections


def make_traces(folder, command):
    for description in DESCRIPTIONS.glob("*.json"):
        if description.stem in command:
            trace = weir_trace.convert(json.loads(description.read_text()))
            (pathlib.Path(folder) / f"{description.stem}.weir").write_bytes(trace)


def run(weir, command):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    environment.update(COLUMNS="80", LC_ALL="C", PATH=f"{weir.parent}:{environment['PATH']}")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as traces:
        environment["TRACES"] = traces
        make_traces(traces, command)
        return subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=300)


def got_sections(result, expected):
    sections = {"status": str(result.returncode)}
    if "stdout shape" in expected:
        sections["stdout shape"] = as_shape(result.stdout)
    elif result.stdout or "stdout" in expected:
        sections["stdout"] = result.stdout
    if result.stderr:
        sections["stderr"] = result.stderr
    return sections


def as_text(command, sections):
    text = f"$ {command}\nstatus {sections['status']}\n"
    for title in ("stdout", "stdout shape", "stderr"):
        if title in sections:
            text += f"--- {title}\n{sections[title]}"
    return text


def main():
    parser = argparse.ArgumentParser(description="compares what weir prints with golden cases")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("weir", type=pathlib.Path)
    parser.add_argument("cases", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    failed = False
    for path in arguments.cases:
        command, expected = read_case(path)
        text = as_text(command, got_sections(run(arguments.weir.resolve(), command), expected))
        if arguments.update:
            path.write_text(text)
        elif text != path.read_text():
            failed = True
            sys.stdout.writelines(difflib.unified_diff(path.read_text().splitlines(True), text.splitlines(True),
                                                       str(path), "printed now"))
    return failed


if __name__ == "__main__":
    sys.exit(main())
