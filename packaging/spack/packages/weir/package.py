# SPDX-License-Identifier: Apache-2.0
"""Spack's recipe of Weir: `spack repo add packaging/spack && spack install weir`."""

import pathlib

from spack.package import *


class Weir(CMakePackage):
    """Task runtime for machines whose memory is not all the same: a program says what each task reads and writes, and
    from that come the order of tasks, their places, and the memory that their data is in. With the OCR 1.2 API."""

    # The checkout that this recipe is in.
    git = pathlib.Path(__file__).resolve().parents[4].as_uri()

    license("Apache-2.0")

    version("main", branch="main")

    variant("shared", default=True, description="Build shared libraries")
    variant("tools", default=True, description="Build the command line `weir`: topo, stream, run, report, check, bench")
    variant("otf2", default=True, description="Write traces in the Open Trace Format, too")

    generator("ninja")

    depends_on("cxx", type="build")
    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type=("build", "run"))  # weir-ocrcc and weir-shmemcc ask it for flags

    # A program that links the static library links these.
    depends_on("hwloc@2.5:")
    depends_on("liburing@2.2:")
    depends_on("fmt@9:")
    depends_on("otf2@3:", when="+otf2")

    with when("+tools"):
        depends_on("benchmark")
        depends_on("cli11@2:", type="build")
        depends_on("elfutils")
        depends_on("libpng")
        depends_on("nlohmann-json@3.10:", type="build")
        depends_on("openblas")
        depends_on("tbb")
        depends_on("zlib-api")
        depends_on("zydis@4:", when="target=x86_64:")

    depends_on("googletest@1.12: +gmock", type="test")
    depends_on("nlohmann-json@3.10:", type="test")
    depends_on("python@3.9:", type=("build", "test"))

    conflicts("platform=darwin")
    conflicts("platform=windows")
    conflicts("%gcc@:11")
    conflicts("%clang@:13")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("WEIR_APPS", "tools"),
            self.define_from_variant("WEIR_FIND_OTF2", "otf2"),
            self.define("WEIR_TESTS", self.run_tests),
            self.define("WEIR_EXAMPLES", False),
        ]
