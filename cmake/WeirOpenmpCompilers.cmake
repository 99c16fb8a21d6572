# SPDX-License-Identifier: Apache-2.0

# The compilers of programs that compare with OpenMP's runtimes, whatever compiles the rest: WEIR_BENCH_GXX brings libgomp,
# WEIR_BENCH_CLANGXX libomp, when WEIR_HAS_LIBOMP is true. Either may be missing.
include_guard(GLOBAL)

find_program(WEIR_BENCH_GXX NAMES g++ g++-14 g++-13 g++-12 DOC "Compiles the libgomp runners")
find_program(WEIR_BENCH_CLANGXX NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14
             DOC "Compiles the libomp runners")

set(WEIR_HAS_LIBOMP FALSE CACHE INTERNAL "clang++ links a program with libomp")
if(WEIR_BENCH_CLANGXX)
  set(probe ${PROJECT_BINARY_DIR}/openmp_probe.cpp)
  file(WRITE ${probe} "#include <omp.h>\nint main() { return omp_get_max_threads() < 1; }\n")
  execute_process(COMMAND ${WEIR_BENCH_CLANGXX} -fopenmp=libomp ${probe} -o ${probe}.out RESULT_VARIABLE status
                  OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    set(WEIR_HAS_LIBOMP TRUE CACHE INTERNAL "clang++ links a program with libomp")
  endif()
endif()
