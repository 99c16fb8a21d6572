// SPDX-License-Identifier: Apache-2.0

// Redirecting calls: functions of a shared library are called through tables that the dynamic linker has filled, one
// for each module; this puts other functions there.
//
// Only ELF modules that were loaded by a dynamic linker have such tables: of a static program nothing is redirected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weir::platform {

struct Redirection {
  const char* name;     // by which calls that were not made yet are known
  std::uintptr_t from;  // the function: what the tables have
  std::uintptr_t to;
};

// In all modules that are loaded now, once more for those that came later. Returns how many entries were changed. Other
// threads may call the functions meanwhile.
std::size_t redirect_calls(std::span<const Redirection> redirections) noexcept;

// The code of the module that has the address; empty: none has.
struct CodeRange {
  std::uintptr_t start = 0, end = 0;
  bool contains(std::uintptr_t address) const noexcept { return address >= start && address < end; }
};
CodeRange code_around(std::uintptr_t address) noexcept;

}  // namespace weir::platform
