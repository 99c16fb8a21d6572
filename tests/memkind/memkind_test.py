#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0

"""weir run --memkind with OpenMP programs, whichever OpenMP library they use, on whatever machine this is.

memkind_test.py WEIR LIBMEMKIND SOURCE_DIR PROGRAM...
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WEIR, LIBRARY, SOURCES, *PROGRAMS = sys.argv[1:]
# What the OpenMP libraries look up: LLVM's, and gcc's from 13 on.
FUNCTIONS = ["memkind_malloc", "memkind_calloc", "memkind_realloc", "memkind_free", "memkind_check_available"]
KINDS = ["DEFAULT", "INTERLEAVE", "HBW", "HBW_INTERLEAVE", "HBW_PREFERRED", "HUGETLB", "HBW_HUGETLB",
         "HBW_PREFERRED_HUGETLB", "DAX_KMEM", "DAX_KMEM_ALL", "DAX_KMEM_PREFERRED"]


def expect(condition, what):
    if not condition:
        sys.exit(what)


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def check_names():
    symbols = {line.split()[-1] for line in output("nm", "-D", "--defined-only", LIBRARY).splitlines()}
    missing = [name for name in FUNCTIONS + [f"MEMKIND_{kind}" for kind in KINDS] if name not in symbols]
    expect(not missing, f"names that OpenMP's libraries look up are missing: {missing}")
    others = [name for name in symbols if not re.match(r"(memkind_|MEMKIND_|hbw_)", name)]
    expect(not others, f"names that are nobody's business are seen: {others}")
    dynamic = output("readelf", "-d", LIBRARY)
    expect("[libmemkind.so.0]" in dynamic and "NODELETE" in dynamic, dynamic)
    folder = pathlib.Path(LIBRARY).parent
    wanted = {"libmemkind.so", "libmemkind.so.0"}  # LLVM opens the first, gcc the second
    expect(wanted <= {path.name for path in folder.iterdir()}, f"{folder} lacks one of {wanted}")


def check_program(program):
    plain = subprocess.run([program, "2"], capture_output=True, text=True, timeout=60, check=False)
    expect(plain.returncode == 0 and "right" in plain.stdout, f"{program}: {plain.stdout}{plain.stderr}")
    expect("libmemkind" not in output("ldd", program), f"{program} is linked with it")
    result = subprocess.run([WEIR, "run", "--memkind", "--json", program, "2"], capture_output=True, text=True, timeout=60,
                            check=False)
    expect(result.returncode == 0 and "right" in result.stderr, f"{program}: {result.stdout}{result.stderr}")
    said = json.loads(result.stdout)[0]["memkind"]
    if b"memkind_malloc" not in openmp_library(program).read_bytes():
        expect(said == [] and "no process of the program has loaded it" in result.stderr, f"{program}: {result.stderr}")
        return
    expect(re.fullmatch(r"\d+ has loaded it", said[0]), f"{program}: {said}")
    has_hbm = '"hbm"' in output(WEIR, "topo", "--json")
    missing = [line for line in said if line.startswith("MEMKIND_HBW_PREFERRED cannot be had: this machine has no hbm")]
    expect(has_hbm or len(missing) == 1, f"{program}: why not is told once: {said}")


def openmp_library(program):
    found = re.search(r"lib(?:gomp|omp|iomp5)\.so\S* => (\S+)", output("ldd", program))
    expect(found, f"{program} uses no OpenMP library")
    return pathlib.Path(found.group(1))


def check_refusals():
    with tempfile.TemporaryDirectory() as folder:
        static = os.path.join(folder, "static")
        if subprocess.run(["cc", "-static", "-x", "c", "-", "-o", static], input="int main(void) { return 0; }", text=True,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0:
            result = subprocess.run([WEIR, "run", "--memkind", static], capture_output=True, text=True, check=False)
            expect(result.returncode == 2 and "--memkind: " in result.stderr and "static" in result.stderr, result.stderr)
    result = subprocess.run([WEIR, "run", "--memkind", "-n", "2", "/bin/true"], capture_output=True, text=True, check=False)
    expect(result.returncode == 0, result.stderr)
    for rank in (0, 1):
        expect(f"weir: rank {rank}: memkind: no process of the program has loaded it" in result.stderr, result.stderr)


def check_installed_with_colon():
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder, "a place:with;all")
        (prefix / "bin").mkdir(parents=True)
        (prefix / "libexec/weir").mkdir(parents=True)
        shutil.copy(WEIR, prefix / "bin")
        shutil.copytree(pathlib.Path(LIBRARY).parent, prefix / "libexec/weir/memkind", symlinks=True)
        words = [prefix / "bin/weir", "run", "--memkind", "sh", "-c", 'ls -L "${LD_LIBRARY_PATH%%:*}"']
        result = subprocess.run(words, capture_output=True, text=True, check=False)
        expect(result.returncode == 0 and "libmemkind.so.0" in result.stdout.split(), f"{result}")
        result = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, "TMPDIR": str(prefix)})
        expect(result.returncode != 0 and "its name has a blank or a colon" in result.stderr, f"{result}")


def check_fortran():
    compiler = shutil.which("gfortran")
    if compiler is None:
        print("no gfortran: the Fortran module is not tested")
        return
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        sources = [f"{SOURCES}/include/weir/fortran/weir_hbw.f90", f"{SOURCES}/tests/memkind/hbw_arrays.f90"]
        subprocess.run([compiler, "-Wall", "-Werror", "-std=f2008", f"-J{folder}", *sources, LIBRARY, "-o", program,
                        f"-Wl,-rpath,{os.path.dirname(LIBRARY)}"], check=True)
        expect(output(program).strip() == "right", "the Fortran program")


check_names()
for each in PROGRAMS:
    check_program(each)
check_refusals()
check_installed_with_colon()
check_fortran()
