// SPDX-License-Identifier: Apache-2.0

#include "sim/preparer.hpp"

#include <algorithm>
#include <utility>

namespace weir::sim {

void Preparer::prepare(std::size_t node, const memory::DueGrowth& due) {
  orders_.push_back({node, due.begin, due.begin + due.bytes});
  if (does_ != Does::sleeps) return;
  does_ = Does::wakes;
  clock_.go_on_clearing(++turn_, clock_.now() + kThreadWakeNs);
}

void Preparer::go_on(const Event& event) {
  if (event.turn == turn_) clear_next();
}

// What the node has grown over meanwhile is there.
void Preparer::clear_next() {
  while (!orders_.empty()) {
    Order& first = orders_.front();
    const std::uint64_t begin = std::max(first.begin, blocks_.populated(first.node));
    const std::uint64_t end = std::min(first.end, first.begin + memory::kClearedPiece);
    first.begin = end;
    if (end == first.end) orders_.pop_front();
    if (begin >= end) continue;
    does_ = Does::clears;
    work_ = {clock_.now(), static_cast<double>(end - begin) * memory::kClearNs};
    return clock_.go_on_clearing(++turn_, work_.end(share_));
  }
  does_ = Does::sleeps;
}

void Preparer::set_share(double share) {
  const double before = std::exchange(share_, share);
  if (before == share || !clears()) return;
  work_.go_on(clock_.now(), before);
  clock_.go_on_clearing(++turn_, work_.end(share_));
}

}  // namespace weir::sim
