# SPDX-License-Identifier: Apache-2.0

# What every target of Weir is compiled with: link weir_warnings PRIVATE.
add_library(weir_warnings INTERFACE)
target_compile_options(weir_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
  $<$<BOOL:${WEIR_WERROR}>:-Werror>)

if(NOT WEIR_HOOKS)
  add_compile_definitions(WEIR_NO_HOOKS)
endif()

if(WEIR_SANITIZE)
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WEIR_SANITIZE})
endif()

# weir_unity(TARGET...): with WEIR_UNITY, their sources are compiled sixteen to a unit. For what is built whole more often
# than it is changed, and not where the machine code of a hot path would depend on which files share a unit. The preset dev
# compiles each file by itself, and so does clang, in CI: a file that needs another's #include or names is found there.
function(weir_unity)
  if(WEIR_UNITY)
    set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
endfunction()
