// SPDX-License-Identifier: Apache-2.0

// The environment variables of SHMEM programs: for SHMEM_INFO, and for weir topo --shmem.
#pragma once

#include <cstdlib>

namespace weir::shmem::api {

struct Variable {
  const char* name;
  const char* older;  // null: it has no older name
  const char* help;
};
inline constexpr Variable kVariables[] = {
    {"SHMEM_VERSION", "SMA_VERSION", "print the version of the library at the start"},
    {"SHMEM_INFO", "SMA_INFO", "print these variables at the start"},
    {"SHMEM_DEBUG", nullptr, "print where each PE's heaps lie and what they hold, at the end"},
    {"SHMEM_SYMMETRIC_SIZE", "SMA_SYMMETRIC_SIZE", "bytes of each PE's heap: 1048576, 512M, 1.5G"},
    {"SHMEM_SYMMETRIC_PARTITION1", nullptr,
     "size=8G[:kind=hbm][:policy=preferred]: the heap in a tier of memory; 2 to 15: more of them"},
    {"WEIR_CHECK", nullptr, "1: check the calls: arrays that overlap, collectives that do not match"},
    {"WEIR_TRACE", nullptr, "t.weir: PE 3 records its calls in t.3.weir, for weir report t.weir"},
    {"WEIR_TRANSPORT", nullptr, "shared, joined or mpi: how PEs reach one another"},
    {"WEIR_MPI", nullptr, "openmpi, mpich, or the path of a plugin: which MPI connects hosts"},
    {"WEIR_MPIRUN", nullptr, "the mpirun that starts PEs on other hosts"},
};

// Null: it is not set, under either name.
inline const char* value_of(const Variable& variable) {
  const char* const value = std::getenv(variable.name);
  if (value != nullptr || variable.older == nullptr) return value;
  return std::getenv(variable.older);
}

}  // namespace weir::shmem::api
