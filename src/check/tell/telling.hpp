// SPDX-License-Identifier: Apache-2.0

// Telling: what was found, made of what is known, and told once. Under the gate.
#pragma once

#include "check/hash.hpp"
#include "check/tell/wire.hpp"

namespace weir::check {

struct Site;
struct TaskInfo;

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

// What is known of who did it and of the memory; the rest is the caller's.
Finding make_finding(FindingKind kind, const TaskInfo* task, std::uintptr_t address, std::size_t bytes);
void fill(WireTask& to, const TaskInfo* from) noexcept;
// Tells it unless that was told; ends the process when that is wanted.
void tell(Finding& finding, const FindingKey& key) noexcept;

}  // namespace weir::check
