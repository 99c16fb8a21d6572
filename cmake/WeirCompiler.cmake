# SPDX-License-Identifier: Apache-2.0

# What every target of Weir is compiled with: link weir_warnings PRIVATE.
add_library(weir_warnings INTERFACE)
target_compile_options(weir_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wthread-safety>
  $<$<BOOL:${WEIR_WERROR}>:-Werror>)

if(NOT WEIR_HOOKS)
  add_compile_definitions(WEIR_NO_HOOKS)
endif()

# g++ collects its garbage often, which takes a tenth of the time of a build: not before it has 1 GiB of it.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1048576>)

# WEIR_LINKER: mold links a program in a fraction of the time of the compiler's own linker.
include(CheckLinkerFlag)
find_program(WEIR_MOLD mold)
mark_as_advanced(WEIR_MOLD)
set(default_linker "")
if(WEIR_MOLD AND NOT WEIR_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  check_linker_flag(CXX -fuse-ld=mold WEIR_COMPILER_TAKES_MOLD)
  if(WEIR_COMPILER_TAKES_MOLD)
    set(default_linker mold)
  endif()
endif()
set(WEIR_LINKER "${default_linker}" CACHE STRING "What links the programs built here, as given to -fuse-ld=; empty: the compiler's own")
if(WEIR_LINKER)
  add_link_options(-fuse-ld=${WEIR_LINKER})
endif()

if(WEIR_SANITIZE)
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WEIR_SANITIZE})
endif()

# weir_library_code(TARGET...): code of what is installed. Static libraries, too, can be linked into shared ones: an extension of
# Python, a plugin. Where they are linked into a program this costs next to nothing: the linker turns uses of thread-local
# variables by that model into those of a program.
function(weir_library_code)
  set_target_properties(${ARGN} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(NOT BUILD_SHARED_LIBS)
    foreach(target IN LISTS ARGN)
      target_compile_options(${target} PRIVATE -ftls-model=initial-exec -fno-semantic-interposition)
    endforeach()
  endif()
endfunction()

# weir_has_own_variables(RESULT): whether weir_own_variables() does what it says.
function(weir_has_own_variables result)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  if(BUILD_SHARED_LIBS OR WEIR_SANITIZE OR NOT CMAKE_OBJCOPY OR NOT CMAKE_OBJDUMP OR CMAKE_INTERPROCEDURAL_OPTIMIZATION
     OR "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" MATCHES "-flto")
    set(${result} 0 PARENT_SCOPE)
  else()
    set(${result} 1 PARENT_SCOPE)
  endif()
endfunction()

# weir_own_variables(TARGET...): a static library's variables lie together, and none of the program's between them, so that what a put
# writes beyond a variable of the program's can be told from what it may write (src/shmem/world/own_variables.hpp).
function(weir_own_variables)
  weir_has_own_variables(has_own)
  if(NOT has_own)
    return()
  endif()
  foreach(target IN LISTS ARGN)
    add_custom_command(TARGET ${target} POST_BUILD
      COMMAND ${CMAKE_COMMAND} -DARCHIVE=$<TARGET_FILE:${target}> -DOBJDUMP=${CMAKE_OBJDUMP} -DOBJCOPY=${CMAKE_OBJCOPY}
              -P ${PROJECT_SOURCE_DIR}/cmake/own_variables.cmake
      VERBATIM)
  endforeach()
endfunction()

# WEIR_LEVEL_FLAGS: what g++ is given with -Og or -O1, so that it takes headers that were precompiled with -O3. From release 13 on it
# wants all of a processor's options alike, and some of x86 follow the level. "refused": it takes none, and everything is optimised.
function(weir_find_level_flags result)
  set(folder ${PROJECT_BINARY_DIR}/level_flags)
  file(WRITE ${folder}/trial.hpp "// Precompiled with -O3.\n")
  file(WRITE ${folder}/trial.cpp "int trial() { return 1; }\n")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -O3 -x c++-header trial.hpp -o trial.hpp.gch WORKING_DIRECTORY ${folder})
  foreach(flags IN ITEMS "" "-munroll-only-small-loops;-mvzeroupper")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -Og ${flags} -Winvalid-pch -Werror -include trial.hpp -c trial.cpp -o trial.o
      WORKING_DIRECTORY ${folder} RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(${result} "${flags}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${result} refused PARENT_SCOPE)
endfunction()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT DEFINED CACHE{WEIR_LEVEL_FLAGS})
  weir_find_level_flags(level_flags)
  set(WEIR_LEVEL_FLAGS "${level_flags}" CACHE INTERNAL "What makes precompiled headers valid at lower levels of optimisation")
endif()

# weir_level(RESULT LEVEL): the options for that level, lower than that of the precompiled headers, in a release.
function(weir_level result level)
  set(options ${level} ${WEIR_LEVEL_FLAGS})
  if(WEIR_LEVEL_FLAGS STREQUAL "refused")
    set(options "")
  endif()
  set(${result} "$<$<CONFIG:Release>:${options}>" PARENT_SCOPE)
endfunction()

# weir_cold_code(TARGET...): little of them runs often, so that g++ compiles them with less optimisation, in two thirds of the
# time. Not clang++, which takes no precompiled headers of another level: the preset clang optimises nothing.
#
# weir_hot_files(FILE...): those of their files that are optimised all the same.
set(WEIR_OPTIMISED_BY_GNU $<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>)
weir_level(WEIR_COLD_OPTIONS -Og)
function(weir_cold_code)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:${WEIR_COLD_OPTIONS}>")
  endforeach()
endfunction()
function(weir_hot_files)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS $<${WEIR_OPTIMISED_BY_GNU}:-O3>)
endfunction()

# WEIR_UNITY and WEIR_PRECOMPILE are for a quick whole build. The preset dev has neither: a file that needs another's
# #include or names is found there, and by the linters, which take its compile commands.
#
# weir_unity(TARGET...): their sources are compiled 32 to a unit. What a task costs is the same: the test bench.instructions.
function(weir_unity)
  if(WEIR_UNITY)
    set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 32)
  endif()
endfunction()

# weir_common_headers(TARGET...): they see the headers of the standard library and of fmt that most files include, precompiled.
# Not for a target with sources in C, nor with options of its own that a header shows (-fopenmp) or that change what is written
# for the debugger.
# Not with shared libraries: their code and that of programs are compiled with different options.
if(BUILD_SHARED_LIBS)
  set(WEIR_PRECOMPILE OFF)
endif()
function(weir_precompile name)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "// What weir_common_headers() precompiles.\n")
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(${name} PRIVATE fmt::fmt weir_warnings)
  target_precompile_headers(${name} PRIVATE <fmt/format.h> <algorithm> <array> <atomic> <chrono> <condition_variable>
    <cstdint> <cstring> <deque> <functional> <map> <memory> <mutex> <optional> <set> <span> <string> <string_view> <thread>
    <unordered_map> <utility> <variant> <vector>)
endfunction()
function(weir_common_headers)
  if(NOT WEIR_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET weir_precompiled)
    weir_precompile(weir_precompiled)
    weir_precompile(weir_precompiled_for_libraries)
    weir_library_code(weir_precompiled_for_libraries)
  endif()
  foreach(target IN LISTS ARGN)
    get_target_property(is_library_code ${target} POSITION_INDEPENDENT_CODE)
    set(headers weir_precompiled)
    if(is_library_code)
      set(headers weir_precompiled_for_libraries)
    endif()
    target_link_libraries(${target} PRIVATE fmt::fmt)
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endforeach()
endfunction()
