// SPDX-License-Identifier: Apache-2.0

// By what findings are one: each is told once, and then counted.
#pragma once

#include "checker/tell/wire.hpp"

namespace weir::checker {

struct Site;

// What has been told already: by kind, place and the task's site.
struct FindingKey {
  FindingKind kind;
  std::uintptr_t instruction;
  const Site* site;
  const Site* other;
  friend bool operator==(const FindingKey&, const FindingKey&) = default;
  std::size_t hash() const noexcept { return hash_of(kind, instruction, site, other); }
};
struct Told {
  std::uint64_t number = 0, times = 0;
};

}  // namespace weir::checker
