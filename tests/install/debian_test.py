#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file that is installed is in a Debian package, and no line of those names nothing: debian_test.py STAGE_DIR SOURCE_DIR

STAGE_DIR has a build of static libraries; what shared ones have instead is not looked for.
"""
import fnmatch
import pathlib
import sys

stage, debian = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) / "packaging" / "debian"
MOVED = {"share/zsh/site-functions/": "share/zsh/vendor-completions/"}  # by debian/rules
SHARED = (".so", ".so.*")
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
    sys.exit(1 if nowhere or nothing or not files else 0)


main()
