# SPDX-License-Identifier: Apache-2.0
"""Spack's recipe of Zydis, which Spack's own repository does not have: `weir check` decodes instructions with it."""

from spack.package import *


class Zydis(CMakePackage):
    """Fast and lightweight decoder of x86 and x86-64 instructions."""

    homepage = "https://zydis.re"
    git = "https://github.com/zyantific/zydis.git"

    license("MIT")

    version("4.1.1", tag="v4.1.1", submodules=True)
    version("4.0.0", tag="v4.0.0", submodules=True)

    variant("shared", default=True, description="Build a shared library")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.15:", type="build")

    def cmake_args(self):
        return [
            self.define_from_variant("ZYDIS_BUILD_SHARED_LIB", "shared"),
            self.define("ZYDIS_BUILD_EXAMPLES", False),
            self.define("ZYDIS_BUILD_TOOLS", False),
        ]
