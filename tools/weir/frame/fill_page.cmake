# SPDX-License-Identifier: Apache-2.0

# cmake -DWEIR=... -DPAGE=... -DOUT=... -P fill_page.cmake: a manual page with the variables that the runtime knows.
execute_process(COMMAND ${WEIR} manual variables OUTPUT_VARIABLE WEIR_VARIABLES OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
configure_file(${PAGE} ${OUT} @ONLY)
