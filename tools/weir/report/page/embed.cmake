# SPDX-License-Identifier: Apache-2.0

# Writes a C++ source with the texts of files in it: cmake -DOUT=x.cpp -DNAMESPACE=n -DNAMES=a;b -DFILES=x;y -P embed.cmake
#
# Each becomes `extern const std::string_view NAME` in the namespace. An empty file name makes an empty text.
set(out "// Made by embed.cmake.\n#include <string_view>\nnamespace ${NAMESPACE} {\n")
foreach(name file IN ZIP_LISTS NAMES FILES)
  set(text "")
  if(NOT file STREQUAL "none")
    file(READ "${file}" text)
  endif()
  if(text MATCHES "\\)weir_embed\"")
    message(FATAL_ERROR "${file} ends the raw string that it is embedded in")
  endif()
  string(APPEND out "static const char ${name}Text[] = R\"weir_embed(${text})weir_embed\";\n"
    "extern const std::string_view ${name};\n"
    "const std::string_view ${name}(${name}Text, sizeof(${name}Text) - 1);\n")
endforeach()
file(WRITE "${OUT}" "${out}}  // namespace ${NAMESPACE}\n")
