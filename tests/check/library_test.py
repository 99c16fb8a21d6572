#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""The checker is in libweir-check.so, and nowhere else.

library_test.py LIBWEIR LIBRARY PROGRAM

LIBWEIR has no symbol of the checker; LIBRARY shows its entry alone, and no other version of libweir gets anything from it;
a PROGRAM that is given a library which is not there, or which is none of ours, says so and runs nothing.
"""
import ctypes
import os
import subprocess
import sys


def symbols(*arguments):
    return subprocess.run(["nm", "-C", *arguments], capture_output=True, text=True, check=True).stdout.splitlines()


def refusal(program, value):
    result = subprocess.run([program], capture_output=True, text=True, timeout=60, env={**os.environ, "WEIR_CHECK": value})
    if result.returncode == 0:
        sys.exit(f"{program} ran with WEIR_CHECK={value}")
    return result.stderr


def expect(said, *words):
    for word in words:
        if word not in said:
            sys.exit(f"expected {word!r} in\n{said}")


def main():
    libweir, library, program = sys.argv[1:]
    inside = [line for line in symbols(libweir) if "weir::checker" in line or "StoppedThread" in line]
    if inside:
        sys.exit(f"{libweir} has of the checker:\n" + "\n".join(inside[:10]))
    shown = [line.split()[-1] for line in symbols("-D", "--defined-only", library) if "weir" in line]
    if shown != ["weir_check_hooks"]:
        sys.exit(f"{library} shows {shown}")
    entry = ctypes.CDLL(library).weir_check_hooks
    entry.restype = ctypes.c_void_p
    if entry(b"another version", ctypes.byref(ctypes.c_bool())) is not None:
        sys.exit("a libweir of another version was given hooks")
    expect(refusal(program, "nobody"), "WEIR_CHECK=nobody", "run `weir check PROGRAM`")
    expect(refusal(program, "nobody:/nowhere/lib.so"), "cannot load its library", "/nowhere/lib.so")
    expect(refusal(program, "nobody:libc.so.6"), "libc.so.6", "not of the same version")
    expect(refusal(program, f"nobody:{library}"), "no weir check listens there")


if __name__ == "__main__":
    main()
