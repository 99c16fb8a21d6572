// SPDX-License-Identifier: Apache-2.0

#include "sched/permits.hpp"

#include <utility>

#include "base/mutex.hpp"

namespace weir::sched {

PermitHolder* Permits::pop_waiting() noexcept {
  PermitHolder* const holder = first_;
  if (holder == nullptr) return nullptr;
  first_ = std::exchange(holder->next, nullptr);
  if (first_ == nullptr) last_ = nullptr;
  wanted_.store(wanted_.load(std::memory_order_relaxed) - 1, std::memory_order_release);
  return holder;
}

PermitHolder* Permits::pop_spare() noexcept {
  PermitHolder* const spare = spares_;
  if (spare != nullptr) spares_ = std::exchange(spare->next, nullptr);
  return spare;
}

PermitHolder* Permits::take_receiver(bool tasks) noexcept {
  const base::Lock lock(mutex_);
  const bool tasks_turn = tasks && ++turns_ % kTurns == 0;
  return first_ == nullptr || tasks_turn ? pop_spare() : pop_waiting();
}

PermitHolder* Permits::take_spare() noexcept {
  const base::Lock lock(mutex_);
  return pop_spare();
}

PermitHolder* Permits::relieve(PermitHolder& caller) noexcept {
  const base::Lock lock(mutex_);
  PermitHolder* const waiting = pop_waiting();
  if (waiting == nullptr) return nullptr;
  caller.state.store(PermitHolder::kSpare, std::memory_order_relaxed);
  caller.next = std::exchange(spares_, &caller);
  return waiting;
}

bool Permits::ask(PermitHolder& holder) noexcept {
  const base::Lock lock(mutex_);
  if (free_ != 0) {
    --free_;
    holder.grant();
    return true;
  }
  holder.next = nullptr;
  (first_ == nullptr ? first_ : last_->next) = &holder;
  last_ = &holder;
  wanted_.store(wanted_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  return false;
}

bool Permits::leave_spares(PermitHolder& spare) noexcept {
  const base::Lock lock(mutex_);
  for (PermitHolder** link = &spares_; *link != nullptr; link = &(*link)->next) {
    if (*link != &spare) continue;
    *link = std::exchange(spare.next, nullptr);
    spare.state.store(PermitHolder::kNone, std::memory_order_relaxed);
    return true;
  }
  return false;
}

void Permits::leave(PermitHolder& holder) noexcept {
  const base::Lock lock(mutex_);
  if (!holder.has()) return;
  holder.state.store(PermitHolder::kNone, std::memory_order_relaxed);
  if (PermitHolder* const waiting = pop_waiting())
    waiting->grant();
  else
    ++free_;
}

}  // namespace weir::sched
