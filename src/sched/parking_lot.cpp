// SPDX-License-Identifier: Apache-2.0

#include "sched/parking_lot.hpp"

namespace weir::sched {

void ParkingLot::list(Sleeper& self) noexcept {
  join_sleepers(self);
  platform::heavy_barrier();  // PARKLOT-1
}

void ParkingLot::join_sleepers(Sleeper& self) noexcept {
  const std::lock_guard lock(mutex_);
  self.next = first_;
  first_ = &self;
  self.listed = true;
  state_.fetch_add(kSleeper - 1, std::memory_order_seq_cst);
}

// Whoever takes a sleeper off the list has already counted it among the searchers.
void ParkingLot::unlist(Sleeper& self) noexcept {
  const std::lock_guard lock(mutex_);
  if (!self.listed) return;
  Sleeper** link = &first_;
  while (*link != &self) link = &(*link)->next;
  *link = self.next;
  self.listed = false;
  state_.fetch_sub(kSleeper - 1, std::memory_order_seq_cst);
}

Sleeper* ParkingLot::take(int domain, bool only_there) noexcept {
  Sleeper** link = &first_;
  while (*link != nullptr && (*link)->domain != domain) link = &(*link)->next;
  if (*link == nullptr && !only_there) link = &first_;
  Sleeper* sleeper = *link;
  if (sleeper == nullptr) return nullptr;
  *link = sleeper->next;
  sleeper->listed = false;
  state_.fetch_sub(kSleeper - 1, std::memory_order_seq_cst);
  return sleeper;
}

void ParkingLot::wake(int domain, bool only_there) noexcept {
  Sleeper* sleeper = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const std::uint64_t state = state_.load(std::memory_order_relaxed);
    if (!only_there && (state & kSearcherMask) != 0) return;  // another maker was faster
    sleeper = take(domain, only_there);
  }
  if (sleeper != nullptr) sleeper->parker.unpark();
}

}  // namespace weir::sched
