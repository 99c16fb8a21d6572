// SPDX-License-Identifier: Apache-2.0

// What the library tells whoever has asked by the variable WEIR_MEMKIND: "report", on standard error, or
// "report=FILE", for `weir run --memkind`: that a process has loaded it, why a kind cannot be had, and at the end how
// much memory of each kind there was, and how much of it where it was asked to be. Any thread.
#pragma once

#include <string>

#include "alloc/tier_heap.hpp"
#include "memkind/kind.hpp"

namespace weir::memkinds {

inline constexpr const char* kVariable = "WEIR_MEMKIND";

// Nothing unless somebody has asked; once for each kind.
void tell_once(const memkind& kind, const std::string& text) noexcept;
// At the end of the process its use is told. Each heap once.
void watch(const alloc::TierHeap& heap) noexcept;

}  // namespace weir::memkinds
