# SPDX-License-Identifier: Apache-2.0

# weir_ocr_app(name SOURCES file... [LINK target...]): the program NAME_ocr with GUIDs of one word, and NAME_ocr128 with
# GUIDs of two. Compiled as a user's program would be, with all extensions shown.
#
# weir_ocr_app_test(name case CODE code ARGUMENTS word... SAYS text... [GUIDS bits...] [MEMORY size]): runs them with 1, 2
# and 8 workers, and checks the exit code and that each text is in what it prints. MEMORY: what there is of it, before
# a file. RANKS: over ranks, too.
function(weir_ocr_app name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  foreach(library IN ITEMS weir_ocr weir_ocr128)
    string(REPLACE weir_ocr ${name}_ocr program ${library})
    add_executable(${program} ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/apps/common/ocr_app.h)
    add_dependencies(weir_ocr_tests ${program})
    target_compile_definitions(${program} PRIVATE ${WEIR_OCR_ALL_EXTENSIONS} OCR_ENABLE_EDT_NAMING)
    target_compile_options(${program} PRIVATE -Wall -Wextra $<$<BOOL:${WEIR_WERROR}>:-Werror> -ffp-contract=off)
    target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${program} PRIVATE ${library} ${arg_LINK} m)
  endforeach()
endfunction()

function(weir_ocr_app_test name case)
  cmake_parse_arguments(PARSE_ARGV 2 arg "RANKS" "CODE;MEMORY" "ARGUMENTS;SAYS;GUIDS")
  if(NOT WEIR_TESTS)
    return()
  endif()
  if(NOT arg_GUIDS)
    set(arg_GUIDS 64)
  endif()
  enable_testing()
  foreach(bits IN LISTS arg_GUIDS)
    set(program ${name}_ocr)
    if(bits EQUAL 128)
      set(program ${name}_ocr128)
    endif()
    set(run ${WEIR_PYTHON} ${PROJECT_SOURCE_DIR}/tests/conformance/ocr/run_program.py ${arg_CODE}
      $<TARGET_FILE:${program}> ${arg_ARGUMENTS} --says ${arg_SAYS})
    add_test(NAME apps.${program}.${case} COMMAND ${run})
    set_tests_properties(apps.${program}.${case} PROPERTIES TIMEOUT 120)
    if(arg_RANKS)
      add_test(NAME ocr_ranks_apps.${program}.${case} COMMAND ${run} --ranks)
      set_tests_properties(ocr_ranks_apps.${program}.${case} PROPERTIES TIMEOUT 120)
    endif()
    if(arg_MEMORY)
      set_tests_properties(apps.${program}.${case} PROPERTIES
        ENVIRONMENT "WEIR_TIERS=memory=${arg_MEMORY},file=${CMAKE_CURRENT_BINARY_DIR}:64MiB")
    endif()
  endforeach()
endfunction()
