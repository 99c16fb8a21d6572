// SPDX-License-Identifier: Apache-2.0

#include "check/faults/string_functions.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>

#include "check/state.hpp"
#include "check/tell/frames.hpp"

namespace weir::check {

namespace {

int find_code_of_libc(dl_phdr_info* info, std::size_t, void*) {
  if (info->dlpi_name == nullptr || std::strstr(info->dlpi_name, "/libc.so") == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD || (info->dlpi_phdr[i].p_flags & PF_X) == 0) continue;
    state->libc_start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    state->libc_end = state->libc_start + info->dlpi_phdr[i].p_memsz;
  }
  return 1;
}

}  // namespace

void find_string_functions() {
  dl_iterate_phdr(&find_code_of_libc, nullptr);
  void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (libc == nullptr) return;
  std::size_t count = 0;
  for (const char* const name : {"memcpy", "memmove", "mempcpy", "memcmp"})
    if (const auto* const function = static_cast<const char*>(dlsym(libc, name)))
      state->copying[count++] = start_of_function(function + 1);
  dlclose(libc);
}

bool is_of_string_function(std::uintptr_t instruction) noexcept {
  if (instruction < state->libc_start || instruction >= state->libc_end) return false;
  const std::uintptr_t function = start_of_function(reinterpret_cast<const void*>(instruction + 1));
  return std::find(std::begin(state->copying), std::end(state->copying), function) == std::end(state->copying);
}

}  // namespace weir::check
