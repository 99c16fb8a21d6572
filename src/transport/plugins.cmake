# SPDX-License-Identifier: Apache-2.0

# What connects hosts: mpi/plugin.c, compiled for each MPI that is there. Nothing links them: a job loads the one it needs.
# The distribution has several MPIs beside one another; each has a compiler command of its own, which tells its flags.
option(WEIR_MPI "Build the plugins for the MPIs that are there (Open MPI, MPICH)" ON)
set(WEIR_MPI_PLUGINS "")

# weir_mpi_plugin(NAME PACKAGE COMMAND OPTION): NAME as in WEIR_MPI; the compiler command, and how it is asked for its flags.
function(weir_mpi_plugin name package command option)
  find_program(WEIR_MPICC_${name} ${command})
  if(NOT WEIR_MPICC_${name})
    message(STATUS "MPI: no ${command}: jobs on several hosts will not run with ${name} (${package})")
    return()
  endif()
  execute_process(COMMAND ${WEIR_MPICC_${name}} ${option} OUTPUT_VARIABLE line RESULT_VARIABLE failed
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    message(WARNING "MPI: ${WEIR_MPICC_${name}} ${option} has failed: jobs on several hosts will not run with ${name}")
    return()
  endif()
  separate_arguments(words UNIX_COMMAND "${line}")
  set(target weir_transport_${name})
  add_library(${target} MODULE mpi/plugin.c mpi/calls.h)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME weir-transport-${name} PREFIX lib C_VISIBILITY_PRESET hidden)
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      target_include_directories(${target} SYSTEM PRIVATE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-L(.+)")
      target_link_directories(${target} PRIVATE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-l(.+)")
      target_link_libraries(${target} PRIVATE ${CMAKE_MATCH_1})
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE weir_warnings)
  message(STATUS "MPI: ${name} by ${WEIR_MPICC_${name}}")
  set(WEIR_MPI_PLUGINS ${WEIR_MPI_PLUGINS} ${name} PARENT_SCOPE)
endfunction()

if(WEIR_MPI AND NOT CMAKE_CROSSCOMPILING)
  enable_language(C)
  weir_mpi_plugin(openmpi libopenmpi-dev mpicc.openmpi --showme)
  weir_mpi_plugin(mpich libmpich-dev mpicc.mpich -show)
endif()
set(WEIR_MPI_PLUGINS ${WEIR_MPI_PLUGINS} CACHE INTERNAL "the MPIs with a plugin")
