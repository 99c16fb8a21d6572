// SPDX-License-Identifier: Apache-2.0

#include "shmem/api/info.hpp"

#include <atomic>
#include <cstdio>

#include "shmem/api/entry.hpp"
#include "shmem/api/variables.hpp"

namespace weir::shmem::api {

namespace {

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
  std::printf("%s, OpenSHMEM %d.%d, %d PE%s by %s\n", SHMEM_VENDOR_STRING, SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION,
              world().n_pes, world().n_pes == 1 ? "" : "s", world().transport->name());
  if (info) tell_variables();
  std::fflush(stdout);
}

}  // namespace weir::shmem::api
