// SPDX-License-Identifier: Apache-2.0

#include "data/preparer.hpp"

namespace weir::data {

Preparer::Preparer() : thread_([this] { work(); }) {}

Preparer::~Preparer() {
  {
    const base::Lock lock(mutex_);
    stop_ = true;
  }
  asked_.notify_one();
  thread_.join();
}

void Preparer::prepare(const memory::Arena& arena, std::size_t offset, std::size_t bytes) noexcept {
  const base::Lock lock(mutex_);
  if (count_ == kMost) return;
  ranges_[(first_ + count_++) % kMost] = {&arena, offset, bytes};
  asked_.notify_one();
}

void Preparer::work() noexcept {
  base::Lock lock(mutex_);
  for (;;) {
    while (!stop_ && count_ == 0) lock.wait(asked_);
    if (stop_) return;
    const Range range = ranges_[first_];
    first_ = (first_ + 1) % kMost;
    --count_;
    lock.unlock();
    range.arena->prepare_growth(range.offset, range.bytes);
    lock.lock();
  }
}

}  // namespace weir::data
