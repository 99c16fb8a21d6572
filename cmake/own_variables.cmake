# SPDX-License-Identifier: Apache-2.0

# Puts the variables of a static library in a section of their own, weir_data, which linkers lay between the program's variables that
# are initialised and those that are zero at first (WeirCompiler.cmake: weir_own_variables).
#
#   cmake -DARCHIVE=lib.a -DOBJDUMP=objdump -DOBJCOPY=objcopy -P own_variables.cmake
execute_process(COMMAND ${OBJDUMP} -h ${ARCHIVE} OUTPUT_VARIABLE headers ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR headers MATCHES "[.]gnu[.]lto_")  # not objects of this machine: they are compiled when a program is linked
  return()
endif()
string(REGEX MATCHALL " [.](bss|data)[^ \n]*" names "${headers}")
list(REMOVE_DUPLICATES names)
set(renamed)
foreach(name IN LISTS names)
  string(STRIP "${name}" name)
  if(name MATCHES "^[.](bss|data)[.]rel[.]ro")  # read-only once it is relocated
    continue()
  elseif(name MATCHES "^[.]bss")  # with contents: without, it is laid behind all that is zero at first, farther than code reaches
    list(APPEND renamed --rename-section ${name}=weir_data,alloc,load,data,contents)
  else()
    list(APPEND renamed --rename-section ${name}=weir_data)
  endif()
endforeach()
if(renamed)
  execute_process(COMMAND ${OBJCOPY} ${renamed} ${ARCHIVE} RESULT_VARIABLE failed)
  if(failed)
    message(WARNING "${OBJCOPY} cannot rename sections of ${ARCHIVE} (${failed}): puts beyond the variables of a program are not told from "
      "others where it is linked with it")
  endif()
endif()
