// SPDX-License-Identifier: Apache-2.0

// FinishScope: the EDTs made by a finish EDT and by those it made: a sched::Scope, whose parent is the finish EDT's
// task.
//
// Opened when the finish EDT makes its first EDT. The scheduler counts the children and ends the parent task when all
// have ended and its function has returned; then the scope is deleted, which satisfies the output event of the EDT. A
// child that makes EDTs announces a number of them at a time (its credit) and gives back the rest when it ends, so
// that making one costs no shared write most of the time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sched/scope.hpp"

namespace weir::ocr {

struct Local;

class FinishScope final : public sched::Scope {
 public:
  explicit FinishScope(sched::Task* parent) noexcept { open(nullptr, parent); }
  ~FinishScope() override;
  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory) noexcept;
};

// The scope in which the running EDT, or the thread outside of EDTs, makes the next EDT; it is counted there.
sched::Scope& enter_scope(Local& local);
// An EDT that was counted will never run; or the running one has ended, with what is left of its credit.
void leave_scope(Local& local, sched::Scope& scope, std::int64_t count) noexcept;

}  // namespace weir::ocr
