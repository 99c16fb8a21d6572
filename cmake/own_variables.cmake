# SPDX-License-Identifier: Apache-2.0

# Puts the variables of a static library in sections of their own, weir_data and weir_bss, which linkers lay behind those of the
# program that it is linked into (WeirCompiler.cmake: weir_own_variables).
#
#   cmake -DARCHIVE=lib.a -DOBJDUMP=objdump -DOBJCOPY=objcopy -P own_variables.cmake
execute_process(COMMAND ${OBJDUMP} -h ${ARCHIVE} OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " [.](bss|data)[^ \n]*" names "${headers}")
list(REMOVE_DUPLICATES names)
set(renamed)
foreach(name IN LISTS names)
  string(STRIP "${name}" name)
  if(name MATCHES "^[.](bss|data)[.]rel[.]ro")  # read-only once it is relocated
    continue()
  elseif(name MATCHES "^[.]bss")
    list(APPEND renamed --rename-section ${name}=weir_bss)
  else()
    list(APPEND renamed --rename-section ${name}=weir_data)
  endif()
endforeach()
if(renamed)
  execute_process(COMMAND ${OBJCOPY} ${renamed} ${ARCHIVE} COMMAND_ERROR_IS_FATAL ANY)
endif()
