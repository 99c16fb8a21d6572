// SPDX-License-Identifier: Apache-2.0

#include "sched/parking_lot.hpp"

#include <utility>

#include "base/mutex.hpp"

namespace weir::sched {

void ParkingLot::list(Sleeper& self, bool to_be_last) noexcept {
  join_sleepers(self, to_be_last);
  platform::heavy_barrier();  // PARKLOT-1
}

void ParkingLot::join_sleepers(Sleeper& self, bool to_be_last) noexcept {
  const base::Lock lock(mutex_);
  enter(self, to_be_last ? end_of_list() : &first_);
}

Sleeper** ParkingLot::end_of_list() noexcept {
  Sleeper** last = &first_;
  while (*last != nullptr) last = &(*last)->next;
  return last;
}

void ParkingLot::enter(Sleeper& self, Sleeper** link) noexcept {
  self.next = *link;
  *link = &self;
  self.listed = true;
  state_.fetch_add(kSleeper - 1, std::memory_order_seq_cst);
}

// Whoever takes a sleeper off the list has already counted it among the searchers.
bool ParkingLot::unlist(Sleeper& self) noexcept {
  const base::Lock lock(mutex_);
  leave(self);
  return std::exchange(self.called, false);
}

void ParkingLot::leave(Sleeper& self) noexcept {
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
    const base::Lock lock(mutex_);
    const std::int64_t state = state_.load(std::memory_order_relaxed);
    if (!only_there && (state < kSleeper || (state & kSearcherMask) != 0)) return;  // another maker was faster
    sleeper = take(domain, only_there);
  }
  if (sleeper != nullptr) sleeper->parker.unpark();
}

bool ParkingLot::call_lookout(int domain) noexcept {
  Sleeper* sleeper = nullptr;
  {
    const base::Lock lock(mutex_);
    sleeper = take(domain, true);
    if (sleeper == nullptr) return false;
    sleeper->called = true;
  }
  sleeper->parker.unpark();
  return true;
}

void ParkingLot::set_blocked(int workers, std::uint64_t now_ns) noexcept {
  const base::Lock lock(mutex_);
  if (watched_.load(std::memory_order_relaxed)) return;
  surplus_.store(std::max<std::int64_t>(most_surplus_ - workers, 0), std::memory_order_relaxed);
  blocked_set_at_.store(now_ns, std::memory_order_relaxed);
}

bool ParkingLot::list_if_crowded(Sleeper& self) noexcept {
  {
    const base::Lock lock(mutex_);
    if (!is_crowded()) return false;
    enter(self, &first_);
  }
  platform::heavy_barrier();  // PARKLOT-1
  return true;
}

bool ParkingLot::watch(Sleeper& self, std::uint64_t ns) noexcept {
  const auto leave_out = [this](std::int64_t count) {
    state_.fetch_sub(count * kSleeper, std::memory_order_seq_cst);
    watched_.store(count > 0, std::memory_order_release);
  };
  std::int64_t surplus = 0;
  {
    const base::Lock lock(mutex_);
    if (is_watched() || !is_crowded()) return false;
    surplus = surplus_.load(std::memory_order_relaxed);
    enter(self, end_of_list());
    leave_out(surplus);
  }
  self.parker.park_for(ns);
  const base::Lock lock(mutex_);
  leave(self);
  leave_out(-surplus);
  return true;
}

}  // namespace weir::sched
