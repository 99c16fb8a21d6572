# SPDX-License-Identifier: Apache-2.0

# The library `weir`: every layer's objects, the public headers, and what a program that links it needs. And the same without
# islands, which take a tenth of the time of its build: for programs of this repository with the property WEIR_NO_ISLANDS, that of
# `make run`.
add_library(weir)
add_library(weir::weir ALIAS weir)
set_target_properties(weir PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
add_library(weir_without_islands STATIC EXCLUDE_FROM_ALL)
set_target_properties(weir_without_islands PROPERTIES LINKER_LANGUAGE CXX)
foreach(layer IN LISTS WEIR_LAYERS)
  target_sources(weir PRIVATE $<TARGET_OBJECTS:weir_${layer}>)
  if(NOT layer STREQUAL island)
    target_sources(weir_without_islands PRIVATE $<TARGET_OBJECTS:weir_${layer}>)
  endif()
endforeach()
foreach(library IN ITEMS weir weir_without_islands)
  target_compile_features(${library} PUBLIC cxx_std_20)
  target_include_directories(${library} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${library} PUBLIC Threads::Threads PRIVATE PkgConfig::hwloc PkgConfig::liburing fmt::fmt)
endforeach()

weir_own_variables(weir)

# For tests and tools of this repository: the library and the headers of src/.
add_library(weir_internal INTERFACE)
target_include_directories(weir_internal INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(weir_internal INTERFACE
  $<IF:$<BOOL:$<TARGET_PROPERTY:WEIR_NO_ISLANDS>>,weir_without_islands,weir> PkgConfig::hwloc fmt::fmt)

# For those of them that make jobs of several processes or look at one: the layers that `weir_shmem` has beside its own.
# Not together with weir_shmem, which has them already.
set(WEIR_RANK_OBJECTS)
foreach(layer IN LISTS WEIR_RANK_LAYERS)
  list(APPEND WEIR_RANK_OBJECTS $<TARGET_OBJECTS:weir_${layer}>)
endforeach()
add_library(weir_ranks STATIC ${WEIR_RANK_OBJECTS})
set_target_properties(weir_ranks PROPERTIES LINKER_LANGUAGE CXX)
target_link_libraries(weir_ranks PUBLIC weir_internal ${CMAKE_DL_LIBS})
