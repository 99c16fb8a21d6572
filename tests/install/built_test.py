#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `cmake --install` takes is what `cmake --build` makes: built_test.py BUILD_DIR WORK_DIR

Every file of the build that the install rules name has to be reached from `all` and from weir_installed, in ninja's
graph; and a file that is not there is told with the command that builds it.
"""
import pathlib
import re
import subprocess
import sys

build, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


def ninja(*words):
    return subprocess.run(["ninja", "-C", build, "-t", *words], check=True, capture_output=True, text=True).stdout


def installed_files():
    """Paths, relative to the build, of what the install rules take from it."""
    for script in build.rglob("cmake_install.cmake"):
        for rule in re.findall(r"file\(INSTALL DESTINATION .*?\)\n", script.read_text(), re.DOTALL):
            for path in re.findall(r'"([^"]+)"', rule[rule.index("FILES"):] if "FILES" in rule else ""):
                if path.startswith(f"{build}/"):
                    yield path[len(f"{build}/"):]


def check_targets():
    files = sorted(set(installed_files()))
    assert any("libweir-ocr128." in f for f in files), files
    made = {line.rsplit(":", 1)[0] for line in ninja("targets", "all").splitlines()}
    for target in "all", "weir_installed":
        reached = set(re.findall(r'label="([^"]+)"', ninja("graph", target)))
        # A shared library's name with its major version alone is a link to the file, made with it.
        missing = [f for f in files if f in made and f not in reached and not any(r.startswith(f"{f}.") for r in reached)]
        assert not missing, f"{target} does not build what is installed: {missing}"


def check_message():
    script = (build / "cmake_install.cmake").read_text()
    work.mkdir(parents=True, exist_ok=True)
    copy = work / "cmake_install.cmake"
    copy.write_text(script.replace("libweir-ocr128.", "libnot-built."))
    done = subprocess.run(["cmake", f"-DCMAKE_INSTALL_PREFIX={work}/prefix", "-P", copy], capture_output=True, text=True)
    told = " ".join(done.stderr.split())
    assert done.returncode != 0 and "not built yet" in told, told
    assert f"cmake --build '{build}' --target weir_installed" in told, told
    assert not (work / "prefix").exists(), "something was installed all the same"


check_targets()
check_message()
print("all passed")
