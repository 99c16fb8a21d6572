# SPDX-License-Identifier: Apache-2.0

# What `make arm64-test` builds: tests that stand for themselves. An emulated processor takes ten times as long, and more.
add_custom_target(weir_cross_tests)
set(WEIR_TEST_TIMEOUT 120)
if(CMAKE_CROSSCOMPILING)
  set(WEIR_TEST_TIMEOUT 1800)
endif()

# WEIR_TEST_COMPILER: what compiles tests instead of g++, so that they take two thirds of the time: clang++, where there is one that
# uses the same version of the standard library (docs/decisions/0052-tests-by-clang.md).
function(weir_find_test_compiler result)
  set(${result} "" PARENT_SCOPE)
  find_program(WEIR_CLANGXX clang++)
  if(NOT WEIR_CLANGXX OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU OR NOT WEIR_PRECOMPILE OR WEIR_SANITIZE OR CMAKE_CROSSCOMPILING)
    return()
  endif()
  set(source ${PROJECT_BINARY_DIR}/standard_library.cpp)
  file(WRITE ${source} "#include <vector>\nversion _GLIBCXX_RELEASE __GLIBCXX__\n")
  foreach(compiler ${CMAKE_CXX_COMPILER} ${WEIR_CLANGXX})
    execute_process(COMMAND ${compiler} -std=c++20 -E -P ${source} OUTPUT_VARIABLE text ERROR_QUIET)
    string(REGEX MATCH "version [0-9]+ [0-9]+" version "${text}")
    list(APPEND versions "${version}")
  endforeach()
  list(REMOVE_DUPLICATES versions)
  if(versions MATCHES "^version [0-9 ]+$")
    set(${result} ${WEIR_CLANGXX} PARENT_SCOPE)
  endif()
endfunction()
if(WEIR_TESTS AND NOT DEFINED CACHE{WEIR_TEST_COMPILER})
  weir_find_test_compiler(default_test_compiler)
  set(WEIR_TEST_COMPILER "${default_test_compiler}" CACHE STRING "What compiles the tests, a clang++; empty: the compiler of everything else")
endif()

# weir_test_code(TARGET...): these, and what they take precompiled headers from, are compiled by it.
function(weir_test_code)
  if(WEIR_TEST_COMPILER)
    set_target_properties(${ARGN} PROPERTIES CXX_COMPILER_LAUNCHER
      "${PROJECT_SOURCE_DIR}/scripts/compile_by.sh;${WEIR_TEST_COMPILER};${CMAKE_CXX_COMPILER};${CMAKE_CXX_COMPILER_LAUNCHER}")
  endif()
endfunction()

# Tests are compiled more often than they run long: not optimised, with the headers of GoogleTest precompiled. The
# library that they link is what users get.
add_library(weir_test_options INTERFACE)
target_include_directories(weir_test_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(weir_test_options INTERFACE
  $<$<CONFIG:Release>:$<IF:$<BOOL:$<TARGET_PROPERTY:WEIR_OPTIMISED>>,-Og,-O0>>)
if(WEIR_TESTS AND NOT TARGET weir_test_headers)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_headers.cpp CONTENT "// What the tests precompile.\n")
  add_library(weir_test_headers OBJECT ${PROJECT_BINARY_DIR}/test_headers.cpp)
  target_link_libraries(weir_test_headers PRIVATE weir_internal GTest::gmock weir_warnings weir_test_options)
  weir_test_code(weir_test_headers)
  target_precompile_headers(weir_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h> <algorithm> <atomic> <functional>
    <memory> <mutex> <string> <thread> <vector>)
endif()

# weir_test_unity(TARGET FILE...): its sources are compiled 24 to a unit, but for these.
function(weir_test_unity target)
  weir_unity(${target})
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 24)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# weir_discover_tests(NAME [ENVIRONMENT variable=value...]): every TEST of that GoogleTest executable becomes one of ctest, which
# runs it with all its parameters. gtest_discover_tests() would start a process for each of them, whose start takes longer.
function(weir_discover_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "ENVIRONMENT")
  set(tests ${CMAKE_CURRENT_BINARY_DIR}/${name}_tests.cmake)
  list(JOIN arg_ENVIRONMENT "|" environment)
  list(JOIN CMAKE_CROSSCOMPILING_EMULATOR "|" emulator)
  set(script ${PROJECT_SOURCE_DIR}/cmake/add_discovered_tests.cmake)
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${script})
  add_custom_command(TARGET ${name} POST_BUILD BYPRODUCTS ${tests} VERBATIM
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${name}> -DPREFIX=${name}. -DFILE=${tests} -DEMULATOR=${emulator}
      -DENVIRONMENT=${environment} -DTIMEOUT=${WEIR_TEST_TIMEOUT} -P ${script})
  set(included ${CMAKE_CURRENT_BINARY_DIR}/${name}_include.cmake)
  file(WRITE ${included} "if(EXISTS [==[${tests}]==])\n  include([==[${tests}]==])\nelse()\n"
    "  add_test(${name}_was_not_built ${name}_was_not_built)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${included})
endfunction()

# weir_unit_test(deps_test a_test.cpp b_test.cpp [LINK target...]): one GoogleTest executable per layer, linked with
# the library and allowed to include the headers of src/. Every TEST becomes a ctest of its own. ALONE: those of the files that
# have a helper of the same name as one of the others, and are not in a unit with them. OPTIMISED: they run for longer than they
# are compiled; without precompiled headers, which are not optimised.
function(weir_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPTIMISED" "" "LINK;ALONE")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE weir_internal ${arg_LINK} GTest::gmock GTest::gtest_main weir_warnings weir_test_options)
  if(arg_OPTIMISED)
    set_target_properties(${name} PROPERTIES WEIR_OPTIMISED ON)
  elseif(NOT arg_LINK MATCHES OpenMP)  # its option is not that of the precompiled headers
    weir_test_code(${name})
    target_precompile_headers(${name} REUSE_FROM weir_test_headers)
  endif()
  weir_test_unity(${name} ${arg_ALONE})
  add_dependencies(weir_cross_tests ${name})
  weir_discover_tests(${name})
endfunction()

# weir_test_measures(NAME...): these measure the memory's bandwidth, in arrays much larger than all caches. They see this
# machine with small ones, or each would take many seconds and GB where caches are large: tests/machines/small_caches.cpp.
set(WEIR_SMALL_CACHES ${PROJECT_BINARY_DIR}/small_caches.xml)
function(weir_test_measures)
  set_tests_properties(${ARGN} PROPERTIES FIXTURES_REQUIRED small_caches
    ENVIRONMENT_MODIFICATION "HWLOC_XMLFILE=set:${WEIR_SMALL_CACHES};HWLOC_THISSYSTEM=set:1")
endfunction()

# weir_golden_measures(NAME FILE): the same when the commands of that golden file do.
function(weir_golden_measures name file)
  file(STRINGS ${file} measures REGEX "^\\$ .*(run seismic|weir stream|--measure|--report|seismic_ocr)")
  if(measures)
    weir_test_measures(${name})
  endif()
endfunction()
