// SPDX-License-Identifier: Apache-2.0

// Turns: who may have the EDTs of all ranks stopped, one at a time, in the order in which they have asked: an EDT that
// pauses, or the checkpoint. Rank 0 keeps them. Any thread; a process has one such object, pause_turns().
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/ids.hpp"
#include "base/mutex.hpp"

namespace weir::ocr {

// Whose: the rank, and which of those that have asked there; the checkpoint is number 0 of rank 0.
struct PauseTurn {
  Rank rank{};
  std::uint64_t number = 0;
  friend bool operator==(const PauseTurn&, const PauseTurn&) = default;
};

enum class TakenTurn : std::uint8_t {
  now,
  later,  // it waits; end() returns it when it has its turn
  no,     // another one has it
};

class PauseTurns {
 public:
  TakenTurn take(const PauseTurn& wanted, bool waits);
  // Of the one that has it. The next, which has it from now on and does not know yet; none.
  std::optional<PauseTurn> end();

 private:
  base::Mutex mutex_;
  std::optional<PauseTurn> now_ WEIR_GUARDED_BY(mutex_);
  std::deque<PauseTurn> waiting_ WEIR_GUARDED_BY(mutex_);
};

PauseTurns& pause_turns() noexcept;

}  // namespace weir::ocr
