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
