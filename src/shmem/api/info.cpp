// SPDX-License-Identifier: Apache-2.0

#include "shmem/api/info.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "shmem/api/entry.hpp"

namespace weir::shmem::api {

namespace {

struct Variable {
  const char* name;
  const char* older;  // null: it has no older name
  const char* help;
};
constexpr Variable kVariables[] = {
    {"SHMEM_VERSION", "SMA_VERSION", "print the version of the library at the start"},
    {"SHMEM_INFO", "SMA_INFO", "print these variables at the start"},
    {"SHMEM_DEBUG", nullptr, "print where each PE's heaps lie and what they hold, at the end"},
    {"SHMEM_SYMMETRIC_SIZE", "SMA_SYMMETRIC_SIZE", "bytes of each PE's heap: 1048576, 512M, 1.5G"},
    {"SHMEM_SYMMETRIC_PARTITION1", nullptr,
     "size=8G[:kind=hbm][:policy=preferred]: the heap in a tier of memory; 2 to 15: more of them"},
    {"WEIR_CHECK", nullptr, "1: check the calls: arrays that overlap, collectives that do not match (docs/shmem.md)"},
    {"WEIR_TRANSPORT", nullptr, "shared, joined or mpi: how PEs reach one another"},
};

const char* value_of(const Variable& variable) {
  const char* const value = std::getenv(variable.name);
  if (value != nullptr || variable.older == nullptr) return value;
  return std::getenv(variable.older);
}

void tell_variables() {
  for (const Variable& variable : kVariables) {
    const char* const value = value_of(variable);
    std::printf("  %-28s %s (%s)\n", variable.name, variable.help, value != nullptr ? value : "not set");
  }
}

}  // namespace

void tell_what_is_asked() {
  static std::atomic<bool> told = false;
  if (world().my_pe != 0 || told.exchange(true)) return;
  const bool info = value_of(kVariables[1]) != nullptr;
  if (!info && value_of(kVariables[0]) == nullptr) return;
  std::printf("%s, OpenSHMEM %d.%d, %d PEs by %s\n", SHMEM_VENDOR_STRING, SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION,
              world().n_pes, world().transport->name());
  if (info) tell_variables();
  std::fflush(stdout);
}

}  // namespace weir::shmem::api
