// SPDX-License-Identifier: Apache-2.0

#include "data/preparer.hpp"

#include <algorithm>

#include "memory/growth.hpp"
#include "platform/start_thread.hpp"

namespace weir::data {

Preparer::Preparer() : thread_(platform::start_thread("weir prepare", [this] { work(); })) {}

Preparer::~Preparer() {
  {
    const base::Lock lock(mutex_);
    stop_ = true;
  }
  asked_.notify_one();
  thread_.join();
}

bool Preparer::prepare(memory::Arena& arena, const memory::Arena::Range& due) noexcept {
  const base::Lock lock(mutex_);
  if (count_ == kMost) return false;
  orders_[(first_ + count_++) % kMost] = {&arena, due};
  asked_.notify_one();
  return true;
}

Preparer::Order Preparer::take_piece() noexcept {
  Order& order = orders_[first_];
  const Order piece{order.arena, {order.range.offset, std::min(order.range.bytes, memory::kClearedPiece)}};
  order.range.offset += piece.range.bytes;
  order.range.bytes -= piece.range.bytes;
  if (order.range.bytes == 0) {
    first_ = (first_ + 1) % kMost;
    --count_;
  }
  return piece;
}

void Preparer::work() noexcept {
  base::Lock lock(mutex_);
  for (;;) {
    while (!stop_ && count_ == 0) lock.wait(asked_);
    if (stop_) return;
    const Order piece = take_piece();
    lock.unlock();
    piece.arena->prepare_growth(piece.range);
    lock.lock();
  }
}

}  // namespace weir::data
