#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What cmake/own_variables.cmake makes of a static library.

    own_variables_test.py CMAKE SCRIPT COMPILER AR OBJDUMP OBJCOPY"""
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = """
int zero[1000];
static int zero_here;
int initialised = 1;
const char* const read_only[] = {"a", "b"};
int* used(void) { return &zero_here; }
"""


class Library:
    def __init__(self, folder, compiler, archiver, *flags):
        self.path = pathlib.Path(folder) / "library.a"
        source = pathlib.Path(folder) / "library.c"
        source.write_text(SOURCE)
        self.path.unlink(missing_ok=True)
        self.is_made = subprocess.run([compiler, "-fPIC", *flags, "-c", source.name, "-o", "library.o"], cwd=folder,
                                      capture_output=True, check=False).returncode == 0
        if self.is_made:
            subprocess.run([archiver, "rcs", self.path.name, "library.o"], cwd=folder, capture_output=True, check=True)


def run_script(cmake, script, library, objdump, objcopy):
    return subprocess.run([cmake, f"-DARCHIVE={library.path}", f"-DOBJDUMP={objdump}", f"-DOBJCOPY={objcopy}", "-P", script],
                          cwd=library.path.parent, text=True, capture_output=True, check=False)


def main():
    cmake, script, compiler, archiver, objdump, objcopy = sys.argv[1:]
    failures = []

    def expect(is_so, what, done):
        if not is_so:
            failures.append(f"{what}: exit status {done.returncode}, printed:\n{done.stdout}{done.stderr}")

    with tempfile.TemporaryDirectory() as folder:
        library = Library(folder, compiler, archiver)
        before = library.path.read_bytes()
        for tools, text in [(("no-such-program", objcopy), ""), (("false", objcopy), ""), ((objdump, "false"), "CMake Warning")]:
            done = run_script(cmake, script, library, *tools)
            expect(done.returncode == 0 and text in done.stderr, f"objdump and objcopy are {tools}", done)
            expect(library.path.read_bytes() == before, f"objdump and objcopy are {tools}: the library is another", done)

        done = run_script(cmake, script, library, objdump, objcopy)
        headers = subprocess.run([objdump, "-h", str(library.path)], text=True, capture_output=True, check=False)
        own = re.findall(r" weir_data +([0-9a-f]+) ", headers.stdout)
        expect(done.returncode == 0 and own, "a library", done)
        # What is zero at first has contents: linkers lay a section without them behind all others of the program.
        expect(sum(int(size, 16) for size in own) >= 4008, "all its variables are there", headers)
        expect(not re.search(r" weir_data .*( BSS|\n +ALLOC)\n", headers.stdout), "they have contents", headers)
        expect(not re.search(r" ([.]bss|[.]data|weir_bss)\b(?![.])", headers.stdout), "none is elsewhere", headers)

        library = Library(folder, compiler, archiver, "-flto")
        if library.is_made:  # what is in it is compiled when a program is linked
            before = library.path.read_bytes()
            done = run_script(cmake, script, library, objdump, objcopy)
            expect(done.returncode == 0, "optimised at link time", done)
            expect(library.path.read_bytes() == before, "optimised at link time: the library is another", done)

    for failure in failures:
        print(failure)
    sys.exit(len(failures) != 0)


if __name__ == "__main__":
    main()
