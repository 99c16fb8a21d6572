#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""What `weir` is linked with, and what it says where the programs and libraries that come with it are not there.

companions_test.py WEIR
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NOT_LINKED = ("libtbb", "libgomp", "libomp", "libopenblas", "libblas", "libpng")


def expect(condition, what):
    if not condition:
        sys.exit(what)


def check_links(weir):
    dynamic = subprocess.run(["readelf", "-d", weir], capture_output=True, text=True, check=True).stdout
    needed = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
    expect("libc.so.6" in needed, f"readelf shows no libraries: {dynamic}")
    wrong = [library for library in needed if library.startswith(NOT_LINKED)]
    expect(not wrong, f"weir links {wrong}")


def check_alone(weir):
    def run(*words):
        return subprocess.run([weir, *words], capture_output=True, text=True, timeout=60)

    for words in (["run", "seismic"], ["run", "matmul", "--json"], ["bench", "tiers"]):
        result = run(*words)
        said = f"{words}: {result.returncode} {result.stdout}{result.stderr}"
        expect(result.returncode == 1 and result.stderr.startswith("weir: weir-demos is missing: "), said)
        expect(len(result.stderr.splitlines()) == 1 and result.stdout in ("", "[]\n"), said)
    result = run("check", "/bin/true")
    expect(result.returncode == 2 and "libweir-check.so is missing" in result.stderr, result.stderr)
    result = run("run", "seismic", "--help")
    expect(result.returncode == 0 and "weir-bands" in result.stdout, result.stderr)
    result = run("run", "seismic", "--variants", "open")
    expect(result.returncode == 2 and "allowed is serial, openmp" in result.stderr, result.stderr)


def main():
    check_links(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "a" / "bin"
        place.mkdir(parents=True)
        check_alone(shutil.copy(sys.argv[1], place / "weir"))


if __name__ == "__main__":
    main()
