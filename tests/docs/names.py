#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Holds the files and members that comments and documents name to the tree: names.py ROOT

A word that looks like a file of ours (`sched/worker.hpp`, `worker.hpp`) must be the end of the path of a tracked file. A
member, `Worker::run()`, must be a name that code uses, in a file that uses the name of its class. Names of examples and
of other projects are listed below.
"""
import collections
import pathlib
import re
import subprocess
import sys

FILE = re.compile(r"(?<![\w<./:{}*$~-])((?:[\w.-]+/)*[\w-]+\.(?:hpp|cpp|h|c|md|py|js|def|cmake))\b(?![\w/*-])")
MEMBER = re.compile(r"\b([A-Z][a-z]\w*)::(~?\w+)")
WORD = re.compile(r"\b[A-Za-z_]\w+\b")
COMMENT = {"cpp": re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL), "py": re.compile(r"#.*")}
COMMENT |= {"hpp": COMMENT["cpp"], "h": COMMENT["cpp"], "c": COMMENT["cpp"], "def": COMMENT["cpp"], "txt": COMMENT["py"]}
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)

# Files that are not ours: the system's, those of other projects, those that a reader has, and generated ones.
FOREIGN = {"solver.cpp", "program.c", "my_program.cpp", "ocr-config.h", "hbwmalloc.h", "omp.h", "mpi.h", "gtest.h",
           "config.h", "compute.c", "hello.c", "package.py", "embedded.cpp", "test_headers.cpp", "d3.js", "d3.min.js",
           "program.cpp", "fortify.h", "x86.h", "f.cpp", "NNNN-title.md", "RUNTIME_contender.cpp", "_contender.cpp"}
# Members of the standard library and of other libraries; the classes that a document makes up.
FOREIGN_CLASSES = {"CLI", "PkgConfig", "Threads", "Python3", "GTest", "OpenMP", "TBB", "PNG", "ZLIB", "Zydis", "Json"}


def tracked(root):
    out = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=True).stdout.split()
    return [name for name in out if (root / name).is_file()]


def prose_of(name, text):
    """The text with all that is neither comment nor document made blank; lines stay where they are."""
    if name.endswith(".md"):
        return FENCED.sub(lambda block: "\n" * block.group().count("\n"), text)
    kind = COMMENT.get(name.rsplit(".", 1)[-1])
    if kind is None:
        return ""
    kept, last = [], 0
    for match in kind.finditer(text):
        kept.append(re.sub(r"[^\n]", " ", text[last:match.start()]))
        kept.append(match.group())
        last = match.end()
    return "".join(kept)


def words_of_code(root, names):
    """For each class or member name, the files in whose code it is."""
    places = collections.defaultdict(set)
    for name in names:
        kind = COMMENT.get(name.rsplit(".", 1)[-1])
        if kind is not None:
            for word in set(WORD.findall(kind.sub(" ", (root / name).read_text(errors="replace")))):
                places[word].add(name)
    return places


def offences_in(name, prose, ends, places):
    for match in FILE.finditer(prose):
        file = re.sub(r"^(\.\.?/)+", "", match.group(1))
        if file not in ends and file.rsplit("/", 1)[-1] not in FOREIGN:
            yield match.start(), f"there is no file {file}"
    for match in MEMBER.finditer(prose):
        owner, member = match.group(1), match.group(2).lstrip("~")
        if owner in FOREIGN_CLASSES:
            continue
        if not places[owner] or not places[member]:
            yield match.start(), f"there is no {owner}::{member}"


def main(root):
    names = tracked(root)
    ends = {"/".join(name.split("/")[start:]) for name in names for start in range(name.count("/") + 1)}
    places = words_of_code(root, names)
    found = 0
    for name in names:
        if name.startswith("tests/golden/") or name == "tests/layers/layers.py":  # made-up trees
            continue
        text = prose_of(name, (root / name).read_text(errors="replace"))
        for at, what in offences_in(name, text, ends, places):
            print(f"{name}:{text.count(chr(10), 0, at) + 1}: {what}")
            found += 1
    print(f"{len(names)} files, {'no offence' if found == 0 else f'{found} offences'}")
    return found != 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
