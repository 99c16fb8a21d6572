#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Holds the files and members that comments and documents name to the tree: names.py ROOT, or names.py --self-test

A word that looks like a file of ours (`sched/worker.hpp`, `worker.hpp`) must be the end of the path of a tracked file. A
member, `Worker::run()`, must be a name that code uses, in a file that uses the name of its class. Names of examples and
of other projects are listed below.

In comments under src/, include/ and tools/ moreover: a name in backquotes (`waiting_mode`) is used by code of the same
folder, of a header that the file includes, or of include/; a function, run_edt(), is used by code; and a file that is named
without its folder is of the same folder, or the only one of that name.
"""
import collections
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import checked_tree  # noqa: E402

FILE = re.compile(r"(?<![\w<./:{}*$~-])((?:[\w.-]+/)*[\w-]+\.(?:hpp|cpp|h|c|md|py|js|def|cmake))\b(?![\w/*-])")
MEMBER = re.compile(r"\b([A-Z][a-z]\w*)::(~?\w+)")
WORD = re.compile(r"\b[A-Za-z_]\w+\b")
COMMENT = {"cpp": re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL), "py": re.compile(r"#.*")}
COMMENT |= {"hpp": COMMENT["cpp"], "h": COMMENT["cpp"], "c": COMMENT["cpp"], "def": COMMENT["cpp"], "txt": COMMENT["py"]}
QUOTED = re.compile(r"`(~?[A-Za-z_]\w+)(?:\(\))?`")
FUNCTION = re.compile(r"(?<![\w:.>-])([a-z_]\w*)\(\)")
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.MULTILINE)
SOURCE_FOLDERS = ("src/", "include/", "tools/")
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)

# Files that are not ours: the system's, those of other projects, those that a reader has, and generated ones.
FOREIGN = {"solver.cpp", "program.c", "my_program.cpp", "ocr-config.h", "hbwmalloc.h", "omp.h", "mpi.h", "gtest.h",
           "config.h", "compute.c", "hello.c", "package.py", "embedded.cpp", "test_headers.cpp", "d3.js", "d3.min.js",
           "program.cpp", "mpif.h", "make.def", "fortify.h", "x86.h", "f.cpp", "NNNN-title.md", "RUNTIME_contender.cpp", "_contender.cpp"}
# Functions of the system and of other libraries that no code of ours calls.
FOREIGN_FUNCTIONS = {"dwarf_getscopes", "f"}
# Members of the standard library and of other libraries; the classes that a document makes up.
FOREIGN_CLASSES = {"CLI", "PkgConfig", "Threads", "Python3", "GTest", "OpenMP", "TBB", "PNG", "ZLIB", "Zydis", "Json"}


def tracked(root):
    out = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=True).stdout.split()
    return [name for name in out if (root / name).is_file()]


def prose_of(name, text):
    """The text without all that is neither comment nor document; lines stay where they are."""
    if name.endswith(".md"):
        return FENCED.sub(lambda block: "\n" * block.group().count("\n"), text)
    kind = COMMENT.get(name.rsplit(".", 1)[-1])
    if kind is None:
        return ""
    kept, last = [], 0
    for match in kind.finditer(text):
        kept.append("\n" * text.count("\n", last, match.start()) + " ")
        kept.append(match.group())
        last = match.end()
    return "".join(kept)


def words_of_code(texts):
    """For each class or member name, the files in whose code it is."""
    places = collections.defaultdict(set)
    for name, text in texts.items():
        kind = COMMENT.get(name.rsplit(".", 1)[-1])
        if kind is not None:
            for word in set(WORD.findall(kind.sub(" ", text))):
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


def folder_of(name):
    return "/".join(name.split("/")[:2])


def headers_of(text, by_last):
    """The headers of ours that the file includes."""
    found = set()
    for target in INCLUDE.findall(text):
        found |= {before + target for before in (*SOURCE_FOLDERS, "")}.intersection(by_last.get(target.rsplit("/", 1)[-1], ()))
    return found


def offences_of_source(name, text, prose, by_last, places):
    """What only comments in sources are held to. `by_last`: files by what stands behind their last slash."""
    headers = headers_of(text, by_last)
    for match in QUOTED.finditer(prose):
        word = match.group(1).lstrip("~")
        used = places.get(word, ())
        if not any(folder_of(f) == folder_of(name) or f in headers or f.startswith("include/") for f in used):
            yield match.start(), f"no code here uses the name {word}"
    for match in FUNCTION.finditer(prose):
        if not places.get(match.group(1)) and match.group(1) not in FOREIGN_FUNCTIONS:
            yield match.start(), f"there is no {match.group(1)}()"
    for match in FILE.finditer(prose):
        file = re.sub(r"^(\.\.?/)+", "", match.group(1))
        same = [f for f in by_last.get(file, ()) if "/mpp/" not in f]  # older names of OpenSHMEM's headers
        if len(same) > 1 and not any(folder_of(f) == folder_of(name) for f in same):
            yield match.start(), f"which {file} of {', '.join(sorted(same))}? Name its folder, too"


def offences(root, names):
    """One line for each."""
    ends = {"/".join(name.split("/")[start:]) for name in names for start in range(name.count("/") + 1)}
    texts = {name: (root / name).read_text(errors="replace") for name in names}
    places = words_of_code(texts)
    by_last = collections.defaultdict(list)
    for name in names:
        by_last[name.rsplit("/", 1)[-1]].append(name)
    for name, text in texts.items():
        if name.startswith("tests/golden/") or name in ("tests/layers/layers.py", "tests/docs/names.py"):  # made-up trees
            continue
        prose = prose_of(name, text)
        found = list(offences_in(name, prose, ends, places))
        if name.startswith(SOURCE_FOLDERS) and not name.endswith(".md"):
            found += offences_of_source(name, text, prose, by_last, places)
        for at, what in sorted(found):
            yield f"{name}:{prose.count(chr(10), 0, at) + 1}: {what}"


GOOD = {
    "src/sched/worker.hpp": "// A Worker; see task.hpp, sched/task.hpp and Worker::run(). `index_` is its own, `Task` not.\n"
                            '#include "sched/task.hpp"\nclass Worker { void run(); int index_; };\n',
    "src/sched/task.hpp": "struct Task { int next; };\n",
    "src/sched/read.hpp": "void read_it();  // as worker.hpp's\n",
    "src/data/read.hpp": "// Called by read_it(), and by dwarf_getscopes().\nint shared;\n",
    "docs/a.md": "`src/sched/worker.hpp`\n",
}
# What is changed in the good tree, and what must be said about it.
BAD = [
    ({"src/sched/task.hpp": "// As worker.cpp.\nstruct Task {};\n"}, "there is no file worker.cpp"),
    ({"src/sched/task.hpp": "// As Task::gone().\nstruct Task {};\n"}, "there is no Task::gone"),
    ({"src/sched/task.hpp": "// As `gone_`.\nstruct Task {};\n"}, "no code here uses the name gone_"),
    ({"src/sched/task.hpp": "// As `shared`.\nstruct Task {};\n"}, "no code here uses the name shared"),
    ({"src/sched/task.hpp": "// As gone().\nstruct Task {};\n"}, "there is no gone()"),
    ({"src/sched/task.hpp": "/* The first line.\n   As gone(). */\nstruct Task {};\n"}, "task.hpp:2: there is no gone()"),
    ({"src/trace/t.hpp": "// As read.hpp.\n"}, "which read.hpp of src/data/read.hpp, src/sched/read.hpp?"),
    ({"docs/a.md": "`src/sched/gone.hpp`\n"}, "there is no file src/sched/gone.hpp"),
]


def check_tree(files):
    return checked_tree.in_tree(files, lambda root: offences(root, list(files)))


def self_test():
    failures = [f"the good tree: {line}" for line in check_tree(GOOD)]
    for change, expected in BAD:
        found = check_tree({**GOOD, **change})
        if len(found) != 1 or expected not in found[0]:
            failures.append(f"{change} should give one line with '{expected}', gave {found}")
    return failures


if __name__ == "__main__":
    checked_tree.main("names", __doc__, lambda root: offences(root, tracked(root)), self_test)
