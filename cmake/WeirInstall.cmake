# SPDX-License-Identifier: Apache-2.0

# What a program that uses an installed Weir finds: weir::weir by find_package(weir), or weir.pc by pkg-config.
include(CMakePackageConfigHelpers)

# Files that cmake_install.cmake takes from the build, all made by the target weir_installed, which `all` has in it. One
# that is missing is told before anything is installed, with the command that makes it.
set(built $<TARGET_FILE:weir> $<TARGET_FILE:weir_ocr> $<TARGET_FILE:weir_ocr128> $<TARGET_FILE:weir_shmem> $<TARGET_FILE:weir_cluster>)
if(WEIR_APPS)
  list(APPEND built $<TARGET_FILE:weir_cli> $<TARGET_FILE:weir_demos>)
  if(WEIR_CHECK_SUPPORTED)
    list(APPEND built $<TARGET_FILE:weir_checker>)
  endif()
endif()
if(TARGET weir_placer)
  list(APPEND built $<TARGET_FILE:weir_placer> $<TARGET_FILE:weir_memkind>)
endif()
foreach(mpi IN LISTS WEIR_MPI_PLUGINS)
  list(APPEND built $<TARGET_FILE:weir_transport_${mpi}>)
endforeach()
install(CODE "set(files \"${built}\")
foreach(file IN LISTS files)
  if(NOT EXISTS \"\${file}\")
    message(FATAL_ERROR \"weir: not built yet: \${file}; run first: \"
      \"cmake --build '${PROJECT_BINARY_DIR}' --target weir_installed\")
  endif()
endforeach()")

if(TARGET weir_placer)
  install(TARGETS weir_placer LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/weir)
  # Never where the system looks for libraries: another's libmemkind keeps its place.
  install(TARGETS weir_memkind LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/weir/memkind)
  install(FILES ${PROJECT_SOURCE_DIR}/include/memkind/memkind.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weir-memkind)
endif()
if(WEIR_APPS AND WEIR_CHECK_SUPPORTED)
  install(TARGETS weir_checker LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/weir)
endif()
# What ranks of several hosts need, whichever library or program loads it.
foreach(mpi IN LISTS WEIR_MPI_PLUGINS)
  install(TARGETS weir_transport_${mpi} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/weir)
endforeach()
install(TARGETS weir EXPORT weirTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/weir DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/hbwmalloc.h ${PROJECT_SOURCE_DIR}/include/hbw_allocator.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weir)
install(EXPORT weirTargets NAMESPACE weir:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/weirConfig.cmake.in ${PROJECT_BINARY_DIR}/weirConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weirConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/weirConfig.cmake ${PROJECT_BINARY_DIR}/weirConfigVersion.cmake
  DESTINATION ${package_dir})

file(RELATIVE_PATH WEIR_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" WEIR_PC_TO_PREFIX "${WEIR_PC_TO_PREFIX}")
# A static library names what it was built on; a shared one has it inside.
if(BUILD_SHARED_LIBS)
  set(WEIR_PC_REQUIRES "Requires.private: hwloc liburing fmt")
  # What is linked with it finds it, unless the system does anyway.
  if(NOT CMAKE_INSTALL_FULL_LIBDIR IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    set(rpath " -Wl,-rpath,\${libdir}")
  endif()
  set(WEIR_PC_LIBS "-L\${libdir}${rpath} -lweir\nLibs.private: -pthread -lstdc++ -lm")  # of a static one beside it
else()
  set(WEIR_PC_REQUIRES "Requires: hwloc liburing fmt")
  set(WEIR_PC_LIBS "-L\${libdir} -lweir -pthread -lstdc++ -lm")  # for programs in C
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/weir.pc.in ${PROJECT_BINARY_DIR}/weir.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/weir.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# OCR: weir::weir_ocr and weir::weir_ocr128, or weir-ocr.pc and weir-ocr128.pc. Its headers lie in a folder of their own,
# which is in the include path of who links it: programs include <ocr.h>. A package of its own in distributions, so that
# find_package(weir) finds either with or without it.
install(TARGETS weir_ocr weir_ocr128 EXPORT weirOcrTargets)
install(EXPORT weirOcrTargets NAMESPACE weir:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ocr DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
foreach(ocr_bits 64 128)
  set(ocr_name weir-ocr)
  set(ocr_cflags "")
  if(ocr_bits EQUAL 128)
    set(ocr_name weir-ocr128)
    set(ocr_cflags " -DOCR_ENABLE_128_BIT_GUID")
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/weir-ocr.pc.in ${PROJECT_BINARY_DIR}/${ocr_name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${ocr_name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
foreach(wrapper weir-ocrcc weir-ocrc++)
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/ocrcc/weir-ocrcc DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME ${wrapper})
endforeach()

# Tasks over ranks: weir::weir_cluster, or weir-cluster.pc.
install(TARGETS weir_cluster EXPORT weirClusterTargets)
install(EXPORT weirClusterTargets NAMESPACE weir:: DESTINATION ${package_dir})
configure_file(${PROJECT_SOURCE_DIR}/cmake/weir-cluster.pc.in ${PROJECT_BINARY_DIR}/weir-cluster.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/weir-cluster.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# OpenSHMEM: weir::weir_shmem, or weir-shmem.pc, in the same way; programs include <shmem.h>.
install(TARGETS weir_shmem EXPORT weirShmemTargets)
install(EXPORT weirShmemTargets NAMESPACE weir:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/shmem DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/cmake/weir-shmem.pc.in ${PROJECT_BINARY_DIR}/weir-shmem.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/weir-shmem.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
foreach(wrapper weir-shmemcc weir-shmemc++ weir-shmemfc)
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/shmemcc/weir-shmemcc DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME ${wrapper})
endforeach()
# Names that others' makefiles have, and others' packages too: only on request.
option(WEIR_OSHMEM_NAMES "Install oshcc, oshc++, oshcxx, oshfort and oshrun, which other OpenSHMEM libraries have, too" OFF)
if(WEIR_OSHMEM_NAMES)
  foreach(wrapper oshcc oshc++ oshcxx oshfort)
    install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/shmemcc/weir-shmemcc DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME ${wrapper})
  endforeach()
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/shmemcc/oshrun DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
