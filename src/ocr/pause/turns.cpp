// SPDX-License-Identifier: Apache-2.0

#include "ocr/pause/turns.hpp"

#include "base/forever.hpp"

namespace weir::ocr {

PauseTurns& pause_turns() noexcept {
  static base::Forever<PauseTurns> the_turns;
  return the_turns.value;
}

TakenTurn PauseTurns::take(const PauseTurn& wanted, bool waits) {
  const base::Lock lock(mutex_);
  if (!now_) {
    now_ = wanted;
    return TakenTurn::now;
  }
  if (!waits) return TakenTurn::no;
  waiting_.push_back(wanted);
  return TakenTurn::later;
}

std::optional<PauseTurn> PauseTurns::end() {
  const base::Lock lock(mutex_);
  now_.reset();
  if (waiting_.empty()) return now_;
  now_ = waiting_.front();
  waiting_.pop_front();
  return now_;
}

}  // namespace weir::ocr
