# SPDX-License-Identifier: Apache-2.0

# Everything Weir takes from the system. Package names: scripts/packages.txt.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc>=2.5)
pkg_check_modules(liburing REQUIRED IMPORTED_TARGET liburing>=2.2)
find_package(fmt REQUIRED)
# Optional: traces in the Open Trace Format. Without it, asking for one is an error that names the package.
if(WEIR_FIND_OTF2)
  pkg_check_modules(otf2 IMPORTED_TARGET otf2>=3.0)
endif()
set(WEIR_OTF2 ${otf2_FOUND})

# `weir check` decodes and single-steps instructions of x86-64. Elsewhere it is there, and says that it cannot.
set(WEIR_CHECK_SUPPORTED FALSE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(WEIR_CHECK_SUPPORTED TRUE)
elseif(WEIR_APPS)
  message(STATUS "weir check needs x86-64: on ${CMAKE_SYSTEM_PROCESSOR} it will say so, and its tests are left out")
endif()

if(WEIR_APPS)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
  find_package(PNG REQUIRED)
  find_package(ZLIB REQUIRED)
  find_package(TBB REQUIRED)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  pkg_check_modules(openblas REQUIRED openblas)
  pkg_check_modules(libdw REQUIRED IMPORTED_TARGET libdw)
  if(WEIR_CHECK_SUPPORTED)
    find_package(zydis REQUIRED)
  endif()
endif()
if(WEIR_BENCH)
  find_package(benchmark REQUIRED)
endif()
if(WEIR_TESTS)
  find_package(GTest REQUIRED)
  find_package(nlohmann_json REQUIRED)
  # The interpreter itself: hundreds of tests start it, and what a version manager puts in its place takes three times as long to start.
  if(NOT DEFINED Python3_EXECUTABLE)
    execute_process(COMMAND python3 -c "import sys; print(sys.executable)"
      OUTPUT_VARIABLE weir_python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(weir_python)
      set(Python3_EXECUTABLE ${weir_python})
    endif()
  endif()
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  # Tests use modules of the interpreter's own, and looking for others takes half of the time of its start, and more.
  set(WEIR_PYTHON ${Python3_EXECUTABLE} -S)
endif()
