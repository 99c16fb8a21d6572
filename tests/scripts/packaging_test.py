#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recipes in packaging/ beside what the build files say: packaging_test.py SOURCE_DIR

The Debian package asks for what scripts/packages.txt lists for the build, and has the project's version; Spack's recipes
are Python that runs, depend on the same libraries, and set options that there are.
"""
import contextlib
import pathlib
import re
import sys
import types

root = pathlib.Path(sys.argv[1])
# What is called otherwise in Spack, or needs nothing there.
SPACK_NAMES = {"g++": "cxx", "ninja-build": None, "pkgconf": "pkgconfig", "libhwloc-dev": "hwloc",
               "liburing-dev": "liburing", "libfmt-dev": "fmt", "libcli11-dev": "cli11", "nlohmann-json3-dev": "nlohmann-json", "libpng-dev": "libpng",
               "zlib1g-dev": "zlib-api", "node-d3": None, "libtbb-dev": "tbb", "libbenchmark-dev": "benchmark",
               "libopenblas-dev": "openblas", "libdw-dev": "elfutils", "libzydis-dev": "zydis"}


def packages(group):
    lines = (root / "scripts/packages.txt").read_text().splitlines()
    return {line.split()[1] for line in lines if line.startswith(f"{group} ")}


def cmake_text():
    return (root / "CMakeLists.txt").read_text()


def check_debian():
    control = (root / "packaging/debian/control").read_text()
    field = re.search(r"^Build-Depends:(.*?)\n\n", control, re.DOTALL | re.MULTILINE)[1]
    asked = {re.split(r"[ \[(]", item.strip())[0] for item in field.split(",")}
    optional = {"debhelper-compat", "libfftw3-dev", "libopen-trace-format2-dev", "libmpich-dev", "libopenmpi-dev"}
    assert asked - optional == packages("build"), asked ^ packages("build")
    assert {name for name in packages("mpi") if name.endswith("-dev")} <= asked, "the plugins for each MPI are packaged"
    version = re.search(r"project\(weir VERSION ([0-9.]+)", cmake_text())[1]
    changelog = (root / "packaging/debian/changelog").read_text()
    assert changelog.startswith(f"weir ({version}-"), changelog.splitlines()[0]
    assert f"Package: libweir{version.split('.')[0]}\n" in control, "the package's name has the number in the library's name"


class Recipe:
    """Stands for Spack while a recipe is read: keeps what it declares."""

    def __init__(self, path):
        self.depends, self.variants, self.versions = set(), set(), []
        spack = types.ModuleType("spack.package")
        spack.CMakePackage = object
        spack.depends_on = lambda spec, **_: self.depends.add(re.match(r"[a-z0-9-]+", spec)[0])
        spack.variant = lambda name, **_: self.variants.add(name)
        spack.version = lambda name, **_: self.versions.append(name)
        spack.when = lambda _: contextlib.nullcontext()
        for name in "license", "generator", "conflicts":
            setattr(spack, name, lambda *_, **__: None)
        sys.modules["spack"], sys.modules["spack.package"] = types.ModuleType("spack"), spack
        names = {"__file__": str(path), "__name__": "recipe"}
        exec(compile(path.read_text(), path, "exec"), names)  # pylint: disable=exec-used
        self.package = names[path.parent.name.capitalize()]

    def options(self):
        package = self.package()
        package.run_tests = True
        package.define = lambda option, value: (option, None)
        package.define_from_variant = lambda option, variant: (option, variant)
        return package.cmake_args()


def check_spack():
    recipes = {path.parent.name: Recipe(path) for path in root.glob("packaging/spack/packages/*/package.py")}
    assert set(recipes) == {"weir", "zydis"}, recipes
    weir = recipes["weir"]
    wanted = {SPACK_NAMES.get(name, name) for name in packages("build")} - {None}
    assert wanted <= weir.depends, f"not in the recipe: {wanted - weir.depends}"
    assert (root / "CMakeLists.txt").samefile(weir.package.git.removeprefix("file://") + "/CMakeLists.txt")
    for option, variant in weir.options():
        assert re.search(rf"option\({option} ", cmake_text()), f"no such option: {option}"
        assert variant is None or variant in weir.variants, f"no such variant: {variant}"
    for recipe in recipes.values():
        assert recipe.versions


check_debian()
check_spack()
print("all passed")
