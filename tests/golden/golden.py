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

# Each case is a process: what few of them need is imported where they do, and takes longer than most commands.
import os
import subprocess
import sys
import tempfile

DESCRIPTIONS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "traces")


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
    import json
    return json.dumps(shape(json.loads(text)), indent=1) + "\n"


def read_case(text):
    """The command, and the expected status and sections by their titles."""
    command, status, *rest = text.splitlines(keepends=True)
    sections, title = {"status": status.split()[1]}, None
    for line in rest:
        if line.startswith("--- "):
            title = line[4:].strip()
            sections[title] = ""
        else:
            sections[title] += line
    return command.removeprefix("$ ").strip(), sections


def make_traces(folder, command):
    for description in os.listdir(DESCRIPTIONS):
        name, ending = os.path.splitext(description)
        if ending == ".json" and name in command:
            import json
            import weir_trace
            with open(os.path.join(DESCRIPTIONS, description), encoding="utf-8") as text:
                trace = weir_trace.convert(json.load(text))
            with open(os.path.join(folder, f"{name}.weir"), "wb") as file:
                file.write(trace)


def run(weir, command):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    environment.update(COLUMNS="80", LC_ALL="C", PATH=f"{os.path.dirname(weir)}:{environment['PATH']}")
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
    arguments = sys.argv[1:]
    update = arguments[:1] == ["--update"]
    weir, *cases = arguments[update:] or [""]
    if not cases:
        sys.exit(__doc__)
    failed = False
    for path in cases:
        with open(path, encoding="utf-8") as file:
            wanted = file.read()
        command, expected = read_case(wanted)
        text = as_text(command, got_sections(run(os.path.realpath(weir), command), expected))
        if update:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        elif text != wanted:
            import difflib
            failed = True
            sys.stdout.writelines(difflib.unified_diff(wanted.splitlines(True), text.splitlines(True), path, "printed now"))
    return failed


if __name__ == "__main__":
    sys.exit(main())
