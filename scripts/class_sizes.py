#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""The largest classes of src/ and include/: class_sizes.py [--top N] [--check]

Functions and fields that each class declares, as universal-ctags finds them: of overloads each, with constructors and
operators; of nested classes none; fields without static ones. --check: exit status 1 when a class has more than 40
functions or 25 fields, unless it is one of LARGER, which may only shrink.
"""

import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_FUNCTIONS, MOST_FIELDS = 40, 25
# Classes that are larger, with what they have: (functions, fields).
LARGER = {}
# What ctags would take for part of a declaration.
MACROS = ["WEIR_GUARDED_BY(x)=", "WEIR_REQUIRES(x)=", "WEIR_ACQUIRE(x)=", "WEIR_RELEASE(x)=", "WEIR_NOT_ANALYSED="]


def find_tags(root):
    command = ["ctags", "-R", "--languages=C++", "--kinds-C++=fpmcs", "--fields=+KZne", "--fields-C++=+{properties}"]
    command += ["--output-format=json", "-f", "-"]
    for macro in MACROS:
        command += ["-D", macro]
    done = subprocess.run(command + ["src", "include"], cwd=root, capture_output=True, text=True, check=True)
    return [tag for tag in map(json.loads, done.stdout.splitlines()) if tag["_type"] == "tag"]


def full_name(tag):
    return tag["scope"] + "::" + tag["name"] if "scope" in tag else tag["name"]


def count(tags):
    """(functions, fields) by class."""
    inside = collections.defaultdict(list)
    for tag in tags:
        inside[tag["path"], tag.get("scope")].append(tag)
    sizes = {}
    for tag in tags:
        if tag["kind"] not in ("class", "struct"):
            continue
        within = [t for t in inside[tag["path"], full_name(tag)] if tag["line"] <= t["line"] <= tag.get("end", tag["line"])]
        functions = {(t["line"], t["name"]) for t in within if t["kind"] in ("prototype", "function")}
        fields = [t for t in within if t["kind"] == "member" and "static" not in t.get("properties", "")]
        sizes[full_name(tag)] = (len(functions), len(fields))
    return sizes


def too_large(sizes):
    for name, (functions, fields) in sorted(sizes.items()):
        most_functions, most_fields = LARGER.get(name, (MOST_FUNCTIONS, MOST_FIELDS))
        if functions > most_functions or fields > most_fields:
            yield f"{name}: {functions} functions and {fields} fields, where {most_functions} and {most_fields} are the most"
    for name, (most_functions, most_fields) in LARGER.items():
        functions, fields = sizes.get(name, (0, 0))
        if functions < most_functions or fields < most_fields:
            yield f"{name}: {functions} functions and {fields} fields by now; LARGER in scripts/class_sizes.py may shrink"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--top", type=int, default=10, help="how many to list")
    parser.add_argument("--check", action="store_true", help="list those that are too large, and fail when there are some")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="of the sources")
    arguments = parser.parse_args()
    if shutil.which("ctags") is None:
        sys.exit("class_sizes.py counts with universal-ctags, which is not here: apt-get install universal-ctags")
    sizes = count(find_tags(arguments.root))
    if not sizes:
        sys.exit(f"class_sizes.py: no class in src/ and include/ of {arguments.root}")
    if arguments.check:
        found = list(too_large(sizes))
        print("\n".join(found) if found else f"{len(sizes)} classes, none too large")
        sys.exit(1 if found else 0)
    print("| class | functions | fields |\n|---|---|---|")
    largest = sorted(sizes.items(), key=lambda entry: -max(entry[1][0] / MOST_FUNCTIONS, entry[1][1] / MOST_FIELDS))
    for name, (functions, fields) in largest[: arguments.top]:
        print(f"| {name} | {functions} | {fields} |")


if __name__ == "__main__":
    main()
