// SPDX-License-Identifier: Apache-2.0

// FinishScope: the EDTs made by a finish EDT and by those it made: a sched::Scope, whose parent is the finish EDT's
// task.
//
// Opened when the finish EDT, or a task of the C++ API that is part of it, makes its first EDT. The scheduler counts
// the children and ends the parent task when all have ended and its function has returned; then the scope is closed,
// which satisfies the output event of the EDT. A child that makes EDTs announces a number of them at a time (its
// credit) and gives back the rest when it ends, so that making one costs no shared write most of the time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ocr/objects/edt.hpp"
#include "runtime/task.hpp"

namespace weir::ocr {

struct Local;

class FinishScope final : public sched::Scope {
 public:
  explicit FinishScope(sched::Task* parent) noexcept { open(nullptr, parent); }
  sched::Scope* close(std::exception_ptr& failure) noexcept override;
  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory) noexcept;
};

// The EDT's function is about to be called.
inline void begin_finish(Edt& edt) noexcept {
  if (edt.has(Edt::kFinish)) edt.body().finish = nullptr;
}
// The scope of a finish EDT that runs, opened when there is none. The thread that runs the EDT, or a task of the C++
// API that is part of it. Throws std::bad_alloc.
sched::Scope& finish_scope(Edt& edt);
// Its scope, null when it has made no EDT. Nothing that is part of it runs any more.
inline sched::Scope* finish_scope_left(Edt& edt) noexcept {
  return edt.has(Edt::kFinish) ? edt.body().finish : nullptr;
}
// The EDT that the thread's task, one of the C++ API, is part of; null when there is none.
Edt* edt_around(const Local& local) noexcept;

// The scope in which the running EDT, or the thread outside of EDTs, makes the next EDT; it is counted there. A task of
// the C++ API makes it where the EDT would that it is part of.
sched::Scope& enter_scope(Local& local);
// Whether that is the scope of a finish EDT.
bool is_in_finish_scope(Local& local) noexcept;
// An EDT that was counted will never run; or the running one has ended, with what is left of its credit.
void leave_scope(Local& local, sched::Scope& scope, std::int64_t count) noexcept;

}  // namespace weir::ocr
