#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file that is installed is in a Debian package, what needs an MPI in that MPI's, and no line of those names nothing:
debian_test.py STAGE_DIR SOURCE_DIR

STAGE_DIR has a build of static libraries; what shared ones have instead is not looked for.
"""
import fnmatch
import pathlib
import re
import subprocess
import sys

stage, debian = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) / "packaging" / "debian"
MOVED = {"share/zsh/site-functions/": "share/zsh/vendor-completions/"}  # by debian/rules
SHARED = (".so", ".so.*")
MPI = re.compile(r"\(NEEDED\).*\[lib(mpi|mpich|oshmem)\.so")
OPTIONAL = "libexec/weir/"  # what is there depends on the libraries of the machine


def packaged_path(path):
    """Where debian/rules has it: with the folder of libraries that a system for several architectures has."""
    for here, there in MOVED.items():
        path = path.replace(here, there)
    return "usr/" + path.replace("lib/", "lib/x/", 1) if path.startswith("lib/") else "usr/" + path


def lines_of(pattern):
    return [(file.name, line.strip()) for file in sorted(debian.glob(pattern)) for line in file.read_text().splitlines()
            if line.strip()]


def names(line, path):
    return fnmatch.fnmatchcase(path, line) or fnmatch.fnmatchcase(path, f"{line}/*")


def needs_an_mpi(file):
    return MPI.search(subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=False).stdout)


def in_the_package_of_an_mpi(path):
    """That of the tools gets none of what debian/rules keeps from it."""
    kept_out = re.search(r"dh_install --package=weir (.*)", (debian / "rules").read_text())[1].split()
    return (any(word.removeprefix("--exclude=") in path for word in kept_out) and
            any(names(line, path) for _, line in lines_of("weir-openmpi.install") + lines_of("weir-mpich.install")))


def main():
    files = [packaged_path(file.relative_to(stage).as_posix()) for file in stage.rglob("*") if not file.is_dir()]
    lines = lines_of("*.install") + lines_of("not-installed")
    nowhere = [file for file in files if not any(names(line, file) for _, line in lines)]
    nothing = [f"{name}: {line}" for name, line in lines
               if not line.endswith(SHARED) and OPTIONAL not in line and not any(names(line, file) for file in files)]
    print(f"{len(files)} files, {len(lines)} lines")
    for file in nowhere:
        print(f"{file}: installed, and in no Debian package: name it in packaging/debian/*.install")
    for line in nothing:
        print(f"{line}: no such file is installed")
    of_an_mpi = [packaged_path(file.relative_to(stage).as_posix()) for file in stage.glob(OPTIONAL + "*") if needs_an_mpi(file)]
    misplaced = [path for path in of_an_mpi if not in_the_package_of_an_mpi(path)]
    print(f"{len(of_an_mpi)} need an MPI")
    for path in misplaced:
        print(f"{path}: needs an MPI, and is in the package of the tools: name it in the MPI's, and keep it out in packaging/debian/rules")
    sys.exit(1 if nowhere or misplaced or nothing or not files else 0)


main()
