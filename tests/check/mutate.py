#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""mutate.py SOURCE EDITS OUT: a copy of SOURCE with the mistakes of EDITS in it.

EDITS: groups of lines, an empty line between them: `mistake M` begins one of the mistakes that every application is to
have, or `none M: WHY`; `- ` is a text that is in the source exactly once, `+ ` what takes its place (none: it is taken
out), `finds KIND: TEXT` what check_test.py expects. Fails when a text is not there, or there more than once: the source
has changed, and the edit is to be written anew.
"""
import sys


def edits(path):
    groups = [group for group in open(path).read().split("\n\n") if group.strip()]
    for group in groups:
        lines = [line for line in group.splitlines() if line and not line.startswith("#")]
        take = [line[2:] for line in lines if line.startswith("- ")]
        put = [line[2:] for line in lines if line.startswith("+ ")]
        finds = [line[len("finds "):].split(": ", 1) for line in lines if line.startswith("finds ")]
        yield "\n".join(take), "\n".join(put), finds


def mistakes(path):
    """{mistake: the kinds of findings, or why there is none}"""
    found, current = {}, None
    for line in open(path).read().splitlines():
        if line.startswith("mistake "):
            current = found.setdefault(line[len("mistake "):], [])
        elif line.startswith("none "):
            mistake, why = line[len("none "):].split(": ", 1)
            found[mistake] = why
        elif line.startswith("finds "):
            current.append(line[len("finds "):].split(": ", 1)[0])
    return found


def main():
    source, edit_file, out = sys.argv[1:]
    text = open(source).read()
    for take, put, _ in edits(edit_file):
        if not take:
            continue
        if text.count(take) != 1:
            sys.exit(f"{edit_file}: this is {text.count(take)} times in {source}, and has to be there once:\n{take}")
        text = text.replace(take, put)
    with open(out, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
