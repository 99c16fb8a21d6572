#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Holds atomics of weaker orders to the pages of docs/protocols: which line of which page says why each is enough.

orders.py ROOT       prints one line per offence, and fails when there is one
orders.py --self-test

In src/ each operation of an order weaker than the default has a tag (STEAL-2) or, when it is relaxed, a reason: in its line, in the
lines before it back to an empty one, in the one after it, or where its variable is declared (in the unit's header or source). Each tag
is one of a page, and each page's tags are in src/.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import checked_tree  # noqa: E402

WEAK = re.compile(r"memory_order_(?:acquire|release|acq_rel|consume)|__ATOMIC_(?:ACQUIRE|RELEASE|ACQ_REL)")
RELAXED = re.compile(r"memory_order_relaxed|__ATOMIC_RELAXED")
REASON = re.compile(r"\brelaxed\b|under the mutex|only the \w+ writes", re.IGNORECASE)
TAG = re.compile(r"\b[A-Z][A-Z0-9]{2,}-\d+\b")
VARIABLE = re.compile(r"(\w+)\s*(?:\)\s*)?(?:\.|->)\s*(?:load|store|exchange|fetch_\w+|compare_exchange_\w+)\s*\(")
MOST_LINES = 20
NAMES = {"UTF-8", "PMI-2", "DDR4-2400", "DDR5-4800"}  # that look like tags


def tags_in(text):
    return {match.group(0) for match in TAG.finditer(text)} - NAMES


def comment_of(line):
    return line.split("//", 1)[1] if "//" in line else ""


def block(lines, at):
    """The comments around a line."""
    first = at
    while first > 0 and lines[first - 1].strip() and at - first < MOST_LINES:
        first -= 1
    return "\n".join(map(comment_of, lines[first:at + 2]))


def declarations(unit, name):
    """The comments around what looks like the declaration of that name, in the files of the unit."""
    declared = re.compile(rf"\b(?:atomic|Flag|Offer)\b[^;(]*\b{name}\b")
    for lines in unit:
        for number, line in enumerate(lines):
            if declared.search(line.split("//")[0]):
                yield block(lines, number)


def is_right(lines, number, unit):
    code = lines[number].split("//")[0]
    is_relaxed = WEAK.search(code) is None
    names = {match.group(1) for match in VARIABLE.finditer(code)}
    places = [block(lines, number)] + [text for name in names for text in declarations(unit, name)]
    return any(tags_in(text) or (is_relaxed and REASON.search(text)) for text in places)


def check_file(root, path):
    unit = [file.read_text().splitlines() for file in (path.with_suffix(".hpp"), path.with_suffix(".cpp")) if file.is_file()]
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        code = line.split("//")[0]
        if (WEAK.search(code) or RELAXED.search(code)) and not is_right(lines, number, unit):
            yield f"{path.relative_to(root)}:{number + 1}: an order without a tag of docs/protocols or a reason: {line.strip()}"


def sources(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in (".cpp", ".hpp"))


def check(root):
    src = root / "src"
    for path in sources(src):
        yield from check_file(root, path)
    explained = set()
    for page in (root / "docs/protocols").glob("*.md"):
        explained |= tags_in(page.read_text())
    used = set()
    for path in sources(src):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for tag in sorted(tags_in(comment_of(line))):
                used.add(tag)
                if tag not in explained:
                    yield f"{path.relative_to(root)}:{number}: {tag} is on no page of docs/protocols"
    for tag in sorted(explained - used):
        yield f"docs/protocols: {tag} is nowhere in src/"


GOOD = {
    "docs/protocols/a.md": "PAIR-1 and PAIR-2\n",
    "src/shmem/a.hpp": "std::atomic<int> seen{0};  // relaxed: late is as good\n\nstd::atomic<int> other{0};\n",
    "src/shmem/a.cpp": "// PAIR-1: publishes it.\na.store(1, std::memory_order_release);\n\nint x = seen.load(std::memory_order_relaxed);\n\n"
                       "b.load(std::memory_order_acquire);  // PAIR-2\n\nc.load();\n",
}
BAD = [
    ({"src/shmem/b.cpp": "a.load(std::memory_order_acquire);\n"}, "src/shmem/b.cpp:1: an order without"),
    ({"src/shmem/b.cpp": "// PAIR-1\n\na.load(std::memory_order_acquire);\n"}, "src/shmem/b.cpp:3: an order without"),
    ({"src/shmem/a.cpp": "// PAIR-1 PAIR-2\n\nint x = other.load(std::memory_order_relaxed);\n"}, "a.cpp:3: an order without"),
    ({"src/shmem/b.cpp": "__atomic_load_n(p, __ATOMIC_ACQUIRE);\n"}, "an order without"),
    ({"src/shmem/b.cpp": "// relaxed is enough.\na.load(std::memory_order_acquire);\n"}, "an order without"),
    ({"src/sched/policy/b.cpp": "a.load(std::memory_order_acquire);\n"}, "src/sched/policy/b.cpp:1: an order without"),
    ({"src/data/b.cpp": "x();  // PAIR-3\n"}, "PAIR-3 is on no page"),
    ({"docs/protocols/a.md": "PAIR-1, PAIR-2, PAIR-4\n"}, "PAIR-4 is nowhere"),
]


def self_test():
    failures = [f"the good tree: {line}" for line in checked_tree.in_tree(GOOD, check)]
    for change, expected in BAD:
        said = checked_tree.in_tree({**GOOD, **change}, check)
        if len(said) != 1 or expected not in said[0]:
            failures.append(f"{change} should give one line with '{expected}', gave {said}")
    return failures


checked_tree.main("orders", __doc__, check, self_test)
