// SPDX-License-Identifier: Apache-2.0

#include "deps/history.hpp"

namespace weir::deps {

namespace {

bool same_region(const Region& a, const Region& b) noexcept {
  return a.base == b.base && a.row_bytes == b.row_bytes && a.rows == b.rows &&
         (a.rows == 1 || a.stride_bytes == b.stride_bytes);
}

bool same_reduction(const Access& a, const Access& b) noexcept {
  return a.reduction == b.reduction && a.ordered == b.ordered && same_region(a.region, b.region);
}

}  // namespace

// The reduction that all records are in, when `access` asks for the same; else null. Frozen records gave their edges
// when it was opened.
History::Reduction* History::joinable(std::span<Record* const> records, const Access& access) noexcept {
  Reduction* found = nullptr;
  for (const Record* record : records) {
    if (record->frozen) continue;
    if (record->kind != Kind::reduce) return nullptr;
    Reduction& reduction = reductions_[record->reduction];
    if (reduction.opened.node != *record->current.begin()) return nullptr;  // sealed
    if (found != nullptr && found != &reduction) return nullptr;
    found = &reduction;
  }
  return found != nullptr && same_reduction(found->access, access) ? found : nullptr;
}

std::uint32_t History::free_slot() {
  if (free_slots_.empty()) {
    free_slots_.reserve(reductions_.size() + 1);
    reductions_.emplace_back();
    return static_cast<std::uint32_t>(reductions_.size() - 1);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

}  // namespace weir::deps
