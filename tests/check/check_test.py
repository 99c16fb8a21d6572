#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""What `weir check` finds in programs whose mistakes are known.

check_test.py WEIR case SOURCE CASE -- PROGRAM...     exactly what SOURCE marks with `FINDS CASE: KINDS`
check_test.py WEIR mutant SOURCE EDITS -- PROGRAM...  at least what EDITS says (mutate.py), and exit status 1
check_test.py WEIR nothing -- PROGRAM...              nothing, and the program's own exit status, 0
check_test.py WEIR calls -- PROGRAM...                what it says itself on standard error, to the byte
check_test.py table README EDITS...                   README has the table of all mistakes, and none is left out
"""
import json
import os
import re
import subprocess
import sys

import mutate


def run(weir, options, program):
    return subprocess.run([weir, "check", *options, *program], capture_output=True, text=True, timeout=110)


def places(finding):
    """(kind, file, line) of all lines that a finding names."""
    at = [finding["at"]] if "at" in finding else []
    if finding["finding"] == "unordered":
        at.append(finding["other"]["at"])
    if finding["finding"] == "untouched":
        at.append(finding["task"]["spawned"])
    return [(finding["finding"], os.path.basename(place.get("file", "?")), place.get("line", 0)) for place in at]


def findings(weir, program):
    result = run(weir, ["--json"], program)
    if result.returncode != 1:
        sys.exit(f"exit status {result.returncode}, not 1\n{result.stdout}{result.stderr}")
    found = json.loads(result.stdout)
    return {place for finding in found for place in places(finding)}, result.stdout


def check_case(weir, source, case, program):
    found, text = findings(weir, program)
    expected = set()
    for number, line in enumerate(open(source), 1):
        mark = re.search(r"FINDS " + case + r": (.*?)( \*/)?$", line)
        if mark:
            expected |= {(kind, os.path.basename(source), number) for kind in mark[1].split()}
    if not expected:
        sys.exit(f"{source} marks nothing for {case}")
    if found != expected:
        sys.exit(f"expected {sorted(expected)}\nfound {sorted(found)}\n{text}")


def check_mutant(weir, source, edits, program):
    found, text = findings(weir, program)
    lines = open(source).read().splitlines()
    told = {(kind, lines[line - 1]) for kind, file, line in found
            if file == os.path.basename(source) and 0 < line <= len(lines)}
    wanted = [tuple(expected) for _, _, finds in mutate.edits(edits) for expected in finds]
    if not wanted:
        sys.exit(f"{edits} expects nothing")
    for kind, snippet in wanted:
        if not any(kind == k and snippet in line for k, line in told):
            sys.exit(f"not found: {kind} at a line with {snippet}\n{text}")


def check_nothing(weir, program):
    result = run(weir, [], program)
    if result.returncode != 0 or "nothing found" not in result.stderr:
        sys.exit(f"exit status {result.returncode}\n{result.stdout}{result.stderr}")


def check_calls(weir, program):
    result = run(weir, ["--json", "--no-advice"], program)
    wanted = re.findall(r"^too much: (.*) (read|write) (0x[0-9a-f]+)$", result.stderr, re.M)
    if not wanted or "all right" not in result.stderr:
        sys.exit(f"exit status {result.returncode}\n{result.stdout}{result.stderr}")
    found = [(finding["finding"], finding["access"], finding["address"], finding["bytes"])
             for finding in json.loads(result.stdout)]
    for name, access, address in wanted:
        one = ("undeclared", access, address, 1)
        if one not in found:
            sys.exit(f"{name}: {one} was not found\n{result.stdout}")
        found.remove(one)
    if found:
        sys.exit(f"more than what is too much was found: {found}\n{result.stdout}")


MISTAKES = ["wrong mode", "forgotten block", "off by one", "use after release", "missing edge"]


def table(paths):
    rows, reasons = [], []
    for path in paths:
        name = os.path.splitext(os.path.basename(path))[0]
        made = mutate.mistakes(path)
        for mistake in MISTAKES:
            if not made.get(mistake):
                sys.exit(f"{path}: neither `mistake {mistake}` with what it finds nor `none {mistake}: WHY`")
        if set(made) - set(MISTAKES):
            sys.exit(f"{path}: unknown: {sorted(set(made) - set(MISTAKES))}")
        cells = ["-" if isinstance(made[m], str) else ", ".join(dict.fromkeys(made[m])) for m in MISTAKES]
        rows.append(f"| {name} | " + " | ".join(cells) + " |")
        reasons += [f"* {name}, {m}: {made[m]}" for m in MISTAKES if isinstance(made[m], str)]
    head = ["| | " + " | ".join(MISTAKES) + " |", "|---" * (len(MISTAKES) + 1) + "|"]
    return "\n".join(head + sorted(rows) + [""] + sorted(reasons)) + "\n"


def check_table(readme, *paths):
    wanted = table(paths)
    if wanted not in open(readme).read():
        sys.exit(f"{readme} has to have this table:\n\n{wanted}")


def main():
    if sys.argv[1] == "table":
        return check_table(*sys.argv[2:])
    split = sys.argv.index("--")
    (weir, what, *rest), program = sys.argv[1:split], sys.argv[split + 1:]
    {"case": check_case, "mutant": check_mutant, "nothing": check_nothing, "calls": check_calls}[what](weir, *rest, program)


if __name__ == "__main__":
    main()
