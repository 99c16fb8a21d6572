// SPDX-License-Identifier: Apache-2.0

#include "sched/scope.hpp"

#include <utility>

#include "base/mutex.hpp"

namespace weir::sched {

Scope* Scope::close(std::exception_ptr&) noexcept {
  delete this;
  return nullptr;
}

Scope::Done Scope::arm(std::int64_t flags) noexcept {
  if (armed_) {
    const std::int64_t now = word_.fetch_or(flags, std::memory_order_acq_rel) | flags;  // SCOPE-1, SCOPE-2
    return done_at(now);
  }
  armed_ = true;
  const std::int64_t left = (open_ << kFlagBits) + flags;
  return done_at(word_.fetch_add(left, std::memory_order_acq_rel) + left);  // SCOPE-2
}

bool Scope::fail(std::exception_ptr exception) noexcept {
  const base::Lock lock(failure_mutex_);
  if (failure_) return false;
  failure_ = std::move(exception);
  failed_.store(true, std::memory_order_relaxed);
  return true;
}

std::exception_ptr Scope::take_failure() noexcept {
  if (!failed()) return nullptr;
  const base::Lock lock(failure_mutex_);
  failed_.store(false, std::memory_order_relaxed);
  return std::exchange(failure_, nullptr);
}

std::exception_ptr Scope::failure() const noexcept {
  if (!failed()) return nullptr;
  const base::Lock lock(failure_mutex_);
  return failure_;
}

}  // namespace weir::sched
