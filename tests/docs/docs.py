#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Holds the documentation to the code: docs.py ROOT

Every C++ block of a Markdown file has above it `<!-- from: path -->` and stands word for word in that file (which is
compiled). Every relative link leads to a file. Every program of examples/ is in its README.
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"(?:<!-- from: (?P<path>\S+) -->\s*)?^(?P<indent> *)```cpp\n(?P<code>.*?)^ *```", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
SKIPPED = {"build", ".git"}


def check_blocks(root, document, text):
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("code"))
        path, code = match.group("path"), match.group("code")
        if path is None:
            yield f"{document.relative_to(root)}:{line}: a C++ block without <!-- from: path -->"
        elif not (root / path).is_file():
            yield f"{document.relative_to(root)}:{line}: there is no {path}"
        elif code not in (root / path).read_text():
            yield f"{document.relative_to(root)}:{line}: differs from {path}"


def check_links(root, document, text):
    text = FENCED.sub(lambda block: "\n" * block.group().count("\n"), text)  # a lambda looks like a link
    for match in LINK.finditer(text):
        if not (document.parent / match.group(1)).exists():
            line = text.count("\n", 0, match.start()) + 1
            yield f"{document.relative_to(root)}:{line}: no such file: {match.group(1)}"


def check_examples(root):
    listed = set(LINK.findall((root / "examples/README.md").read_text()))
    for program in sorted((root / "examples").glob("*.c*")):
        if program.name not in listed:
            yield f"examples/README.md: says nothing of {program.name}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    documents = [p for p in sorted(root.rglob("*.md")) if not SKIPPED & set(p.relative_to(root).parts)]
    offences = [*check_examples(root)]
    for document in documents:
        text = document.read_text()
        offences += [*check_blocks(root, document, text), *check_links(root, document, text)]
    print("\n".join(offences) if offences else f"{len(documents)} documents, no offence")
    sys.exit(1 if offences or not documents else 0)


main()
