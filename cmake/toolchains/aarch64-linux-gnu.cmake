# SPDX-License-Identifier: Apache-2.0

# Cross-compiles for arm64 with Debian's g++-aarch64-linux-gnu against the libraries in WEIR_SYSROOT, which
# scripts/arm64_sysroot.sh makes. What is built runs under qemu-aarch64-static, at build time (gtest's discovery) and in
# ctest.
set(WEIR_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/cache/arm64-sysroot CACHE PATH "Debian's libraries for arm64")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WEIR_SYSROOT)
get_filename_component(CMAKE_SYSROOT ${WEIR_SYSROOT} ABSOLUTE)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${CMAKE_SYSROOT})

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
