#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""Holds what users read to the field's words: words.py ROOT

Reads scripts/words.txt, a line for each pattern and what to write instead, and looks for them in the documents, the
public headers, the texts of the command line and the messages of the library (string literals in src/), and in comments of
the folders below. Prints one line for each place and fails when there is one.
"""
import pathlib
import re
import subprocess
import sys

# Looked at whole; of other sources only the string literals are.
WHOLE = re.compile(r"(^|/)README\.md$|^[A-Z]+\.md$|^docs/.*\.md$|^include/|^examples/")
LITERALS = re.compile(r"^(src|tools)/.*\.(cpp|hpp)$")
# Folders whose comments are held to the words, too; the list is to grow.
COMMENTS = re.compile(r"^src/ocr/.*\.(cpp|hpp)$")
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')
# The protocols and the reasons of decisions describe the code by the names that it has.
EXEMPT = re.compile(r"^docs/(protocols|decisions)/|^CHANGELOG\.md$|^src/.*README\.md$")


def patterns(root):
    for number, line in enumerate((root / "scripts/words.txt").read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            word, _, instead = line.partition("  ")
            if not instead.strip():
                sys.exit(f"scripts/words.txt:{number}: two spaces, and what to write instead, are missing")
            yield re.compile(rf"\b(?:{word.strip()})\b", re.IGNORECASE), instead.strip()


def lines_of(root, name):
    whole = WHOLE.search(name)
    if EXEMPT.search(name) or not (whole or LITERALS.search(name)):
        return
    for number, line in enumerate((root / name).read_text(errors="replace").splitlines(), 1):
        if line.lstrip().startswith("#include"):
            continue
        comment = line.partition("//")[2] if COMMENTS.search(name) else ""
        yield number, line if whole else " ".join([*LITERAL.findall(line), comment])


def main(root):
    listed = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=True).stdout.split()
    words = list(patterns(root))
    found = 0
    for name in listed:
        if not (root / name).is_file():
            continue
        for number, text in lines_of(root, name):
            for pattern, instead in words:
                if match := pattern.search(text):
                    print(f"{name}:{number}: {match.group(0)}: write {instead}")
                    found += 1
    print(f"{len(words)} patterns, {'no offence' if found == 0 else f'{found} offences'}")
    return found != 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
