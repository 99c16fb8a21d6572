#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""The largest classes of src/ and include/: class_sizes.py [--most N] [FOLDER...]

Functions and fields of each class that its header or source declares, as universal-ctags counts them: member functions
with constructors and operators, of overloads each; fields without static ones. Nested classes count by themselves.
"""

import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def tags(folders):
    command = ["ctags", "-R", "--languages=C++", "--langmap=C++:.hpp.cpp", "--kinds-C++=fpmcs", "--fields=+KSsaenZ", "--output-format=json", "-f", "-"]
    command += [str(folder) for folder in folders]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def main():
    t = tags([ROOT / "src"])
    for x in t[:5]: print(x)

main()
