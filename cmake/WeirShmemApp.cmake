# SPDX-License-Identifier: Apache-2.0

# weir_shmem_app(name SOURCES file... [LINK target...]): the program NAME_shmem, compiled as a user's would be.
#
# weir_plain_app(name): the programs NAME_serial of serial.c and NAME_weir of weir.cpp, which it is compared with.
#
# weir_shmem_app_test(name case CODE code ARGUMENTS word... SAYS text... [PES n...]): runs it with 1, 2 and 4
# PEs where nothing else is said, bare where it is 1, and checks the exit code and that each text is in what it prints.
# weir_plain_app_test(): the same of both programs that it is compared with.
function(weir_shmem_app name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  set(program ${name}_shmem)
  add_executable(${program} ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/apps/common/shmem_app.h ${PROJECT_SOURCE_DIR}/apps/common/app_options.h)
  target_compile_options(${program} PRIVATE -Wall -Wextra $<$<BOOL:${WEIR_WERROR}>:-Werror> -ffp-contract=off)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${program} PRIVATE weir_shmem ${arg_LINK} m)
  add_dependencies(weir_shmem_apps ${program})
endfunction()

function(weir_plain_app name)
  foreach(variant IN ITEMS serial weir)
    set(program ${name}_${variant})
    if(variant STREQUAL weir)
      add_executable(${program} weir.cpp)
      target_link_libraries(${program} PRIVATE weir::weir weir_warnings)
    else()
      add_executable(${program} serial.c)
      target_compile_options(${program} PRIVATE -Wall -Wextra $<$<BOOL:${WEIR_WERROR}>:-Werror>)
      target_link_libraries(${program} PRIVATE m)
    endif()
    target_compile_options(${program} PRIVATE -ffp-contract=off)
    target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR})
    add_dependencies(weir_shmem_apps ${program})
  endforeach()
endfunction()

function(weir_plain_app_test name case)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "CODE" "ARGUMENTS;SAYS")
  if(NOT WEIR_TESTS)
    return()
  endif()
  foreach(variant IN ITEMS serial weir)
    add_test(NAME apps.${name}_${variant}.${case}
      COMMAND ${WEIR_PYTHON} ${PROJECT_SOURCE_DIR}/tests/conformance/shmem/run_app.py ${arg_CODE} none 1
        $<TARGET_FILE:${name}_${variant}> ${arg_ARGUMENTS} --says ${arg_SAYS})
    set_tests_properties(apps.${name}_${variant}.${case} PROPERTIES TIMEOUT 120)
  endforeach()
endfunction()

function(weir_shmem_app_test name case)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "CODE" "ARGUMENTS;SAYS;PES")
  if(NOT WEIR_TESTS)
    return()
  endif()
  enable_testing()
  if(NOT arg_PES)
    set(arg_PES 1 2 4)
  endif()
  add_test(NAME apps.${name}_shmem.${case}
    COMMAND ${WEIR_PYTHON} ${PROJECT_SOURCE_DIR}/tests/conformance/shmem/run_app.py ${arg_CODE} $<TARGET_FILE:weir_cli>
      "${arg_PES}" $<TARGET_FILE:${name}_shmem> ${arg_ARGUMENTS} --says ${arg_SAYS})
  set_tests_properties(apps.${name}_shmem.${case} PROPERTIES TIMEOUT 120)
endfunction()
