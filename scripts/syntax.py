#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the compiler of a build says of sources, without making code of them: scripts/syntax.py BUILD_FOLDER PATTERN

Runs the compile commands of the objects whose path in BUILD_FOLDER matches, as many at a time as there are cores. The
precompiled headers that they name have to be there. Fails when one does, or when none matches.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    folder, pattern = pathlib.Path(sys.argv[1]).resolve(), re.compile(sys.argv[2])
    commands = {}
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        output = re.search(r" -o (\S+)", entry["command"])[1]
        if pattern.search(output) and "cmake_pch" not in output:
            commands[output] = entry["command"] + " -fsyntax-only"

    def run(output: str) -> bool:
        done = subprocess.run(commands[output], shell=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.stdout or done.returncode != 0:
            print(f"{output}: status {done.returncode}\n{done.stdout}", flush=True)
        return done.returncode == 0

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        good = list(threads.map(run, commands))
    print(f"{len(good)} units, {good.count(False)} not as they should be")
    return 0 if good and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
