// FinishScope: the EDTs made by a finish EDT and by those it made, counted until all have ended.
//
// Each EDT in it stands for one; a running EDT takes a number of further ones at a time for the EDTs it makes (its
// credit) and gives back what is left when it ends, so making an EDT costs no shared write most of the time. The scope
// itself stands for one in the scope around it. When the count is 0 the output event fires, and the scope is gone.
#pragma once

#include <atomic>
#include <cstdint>

#include "ocr/guid.hpp"

namespace weir::ocr {

struct Edt;
struct Local;

struct FinishScope {
  static constexpr std::uint8_t kCredit = 64;

  std::atomic<std::int64_t> count;  // any thread
  FinishScope* parent;              // null: none
  Guid output;                      // event to satisfy, or null
  Guid result;                      // what the finish EDT returned; written before it leaves
  std::uint32_t index;              // in their table, which keeps the memory
  FinishScope* next_free;
};

FinishScope& make_scope(Local& local, FinishScope* parent, Guid output);
// One that nobody is in.
void free_scope(Local& local, FinishScope& scope) noexcept;

// An EDT is made in the scope of `creator`, or of none (null).
inline FinishScope* enter_scope(FinishScope* scope, std::uint8_t& credit) noexcept {
  if (scope == nullptr) return nullptr;
  if (credit == 0) {
    // The caller stands for one, so the scope is there, and it is not yet done.
    scope->count.fetch_add(FinishScope::kCredit, std::memory_order_relaxed);
    credit = FinishScope::kCredit;
  }
  --credit;
  return scope;
}

// `count` leave. Fires output events of scopes that are done by it, outwards.
void leave_scope(Local& local, FinishScope* scope, std::int64_t count);

}  // namespace weir::ocr
