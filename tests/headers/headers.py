#!/usr/bin/env python3
"""Compiles public headers alone.

headers.py alone COMPILER INCLUDE_DIR         each header is complete in itself, in C++20, without a warning
headers.py time  COMPILER INCLUDE_DIR FILE    prints how long FILE takes to compile (reported, never asserted)
"""
import os
import pathlib
import resource
import subprocess
import sys

FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
ROUNDS = 5


def compile_text(compiler, include, text):
    command = [compiler, *FLAGS, f"-I{include}", "-x", "c++", "-"]
    return subprocess.run(command, input=text, text=True, capture_output=True)


def alone(compiler, include):
    headers = sorted(pathlib.Path(include).rglob("*.hpp"))
    broken = 0
    for header in headers:
        result = compile_text(compiler, include, f'#include "{header.relative_to(include)}"\n')
        if result.returncode != 0:
            broken += 1
            print(f"{header} does not compile alone:\n{result.stderr}")
    print(f"{len(headers)} headers, {broken} broken, with {compiler}")
    return 1 if broken or not headers else 0


def child_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def time(compiler, include, source):
    seconds = []
    for _ in range(ROUNDS):
        before = child_seconds()
        subprocess.run([compiler, "-std=c++20", "-O2", f"-I{include}", "-c", source, "-o", os.devnull], check=True)
        seconds.append(child_seconds() - before)
    print(f"{source}: {min(seconds):.2f} s of processor time with {compiler} -O2, best of {ROUNDS}")
    return 0


def main():
    modes = {"alone": (alone, 2), "time": (time, 3)}
    mode, count = modes.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if mode is None or len(sys.argv) != count + 2:
        sys.exit(__doc__)
    sys.exit(mode(*sys.argv[2:]))


main()
