// SPDX-License-Identifier: Apache-2.0

// The private copies of one reduction, from the first task that joins it to the task that folds them.
//
// A task takes a copy while it runs and gives it back: never two tasks one copy at a time, also when a task waits
// inside and its worker runs another of the group. Ordered: one copy per member, folded in the order of joining.
#pragma once

#include <vector>

#include "base/mutex.hpp"
#include "weir/footprint.hpp"

namespace weir::runtime {

class ReductionGroup {
 public:
  // Copies the identity. Throws what that throws.
  explicit ReductionGroup(const Access& access);
  ~ReductionGroup();
  ReductionGroup(const ReductionGroup&) = delete;
  ReductionGroup& operator=(const ReductionGroup&) = delete;

  // The spawning thread: another member; its number.
  std::size_t join() noexcept { return members_++; }
  // Any worker, while that member runs. Throws what copying the identity throws.
  void* take(std::size_t member);
  void give_back(void* copy) noexcept;
  // When all members have ended: target = op(target, copy) for all copies.
  void fold();

 private:
  void* make_copy();

  const detail::Reduction* operation_;
  void* target_;
  void* identity_ = nullptr;
  bool ordered_;
  std::size_t members_ = 0;
  base::Mutex mutex_;
  std::vector<void*> copies_ WEIR_GUARDED_BY(mutex_);  // ordered: by member, null for one that never ran
  std::vector<void*> free_ WEIR_GUARDED_BY(mutex_);    // unordered: not in use now
};

}  // namespace weir::runtime
