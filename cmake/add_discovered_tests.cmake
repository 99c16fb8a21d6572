# SPDX-License-Identifier: Apache-2.0

# Writes FILE for ctest: an add_test() for each TEST of the GoogleTest executable PROGRAM. A test with parameters is one
# test of ctest, which runs it with all of them: to register thousands of tests costs a process more than most of them run.
#
# usage: cmake -DPROGRAM=... -DPREFIX=... -DFILE=... -DEMULATOR=... -DENVIRONMENT=... -DTIMEOUT=... -P add_discovered_tests.cmake
# EMULATOR and ENVIRONMENT are lists, separated by '|'. The tests run in the folder of FILE.

cmake_minimum_required(VERSION 3.22)
string(REPLACE "|" ";" EMULATOR "${EMULATOR}")
string(REPLACE "|" ";" ENVIRONMENT "${ENVIRONMENT}")
get_filename_component(folder ${FILE} DIRECTORY)
execute_process(COMMAND ${EMULATOR} "${PROGRAM}" --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE result TIMEOUT 60)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests ended with ${result}, and said:\n${listed}")
endif()

# Brackets and semicolons, which values of parameters have, are not for CMake's lists.
string(REGEX REPLACE "[][;]" "_" listed "${listed}")
string(REPLACE "\n" ";" listed "${listed}")
# Skipped is what ends with a list of skipped tests after none that passed: where one of them fails, it has failed.
set(all_skipped "\\[  PASSED  \\] 0 tests\\.\n(\\[  SKIPPED \\][^\n]*\n)+$")
set(script "")
set(known "")
set(suite "")
foreach(line IN LISTS listed)
  string(REGEX REPLACE " *#.*" "" line "${line}")  # the values
  if(line MATCHES "^([^ ]+)\\.$")
    set(suite ${CMAKE_MATCH_1})
  elseif(line MATCHES "^  ([^/ ]+)(/.*)?$")
    set(test ${suite}.${CMAKE_MATCH_1})
    if(test IN_LIST known)
      continue()
    endif()
    list(APPEND known ${test})
    set(filter "${test}")
    if(CMAKE_MATCH_2)
      string(APPEND filter "/*")
    endif()
    string(APPEND script "add_test([==[${PREFIX}${test}]==]")
    foreach(argument IN LISTS EMULATOR PROGRAM)
      string(APPEND script " [==[${argument}]==]")
    endforeach()
    string(APPEND script " [==[--gtest_filter=${filter}]==])\nset_tests_properties([==[${PREFIX}${test}]==] PROPERTIES"
      " WORKING_DIRECTORY [==[${folder}]==] TIMEOUT ${TIMEOUT} ENVIRONMENT [==[${ENVIRONMENT}]==]"
      " SKIP_REGULAR_EXPRESSION [==[${all_skipped}]==])\n")
  elseif(NOT line STREQUAL "" AND NOT line MATCHES "gtest_main\\.cc")
    message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: what is this line? ${line}")
  endif()
endforeach()
if(NOT known)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests has no test")
endif()
file(WRITE "${FILE}" "${script}")
