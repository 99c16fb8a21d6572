// SPDX-License-Identifier: Apache-2.0

// From the events of a track, each recorded at its end, to records in the order of time, in bounded memory.
//
// It goes backwards: what ends last is met first, and is open until everything that lies in it has been met. So only
// what is open at one moment is in memory, however long the run was.
#pragma once

#include <cstdint>

#include "names.hpp"
#include "otf2/unit_stack.hpp"

namespace weir::tool::convert {

// As what a record stands for its event.
enum class Does : std::uint8_t {
  enter,  // behind the edges of its task
  leave,
  resume,  // a task goes on: one that ran on top of it has been left
  begin_move,
  end_move,
  wait_more,  // one more task waits for data
  wait_less,
  happen,      // it has no length
  come_after,  // an edge of the task that is entered next
};

// Of the size of an event: start is the time in nanoseconds, id and word are the event's own.
class Record {
 public:
  Record(std::uint64_t ns, Does does, const Event& event, std::uint32_t move = 0) noexcept
      : unit_{ns, std::uint64_t{move} << 8 | static_cast<std::uint8_t>(does), event.id, event.word} {}
  explicit Record(const Event& unit) noexcept : unit_(unit) {}

  const Event& unit() const noexcept { return unit_; }  // kind, id, small and value are the event's
  std::uint64_t ns() const noexcept { return unit_.start; }
  Does does() const noexcept { return static_cast<Does>(unit_.duration & 0xff); }
  std::uint32_t move() const noexcept { return static_cast<std::uint32_t>(unit_.duration >> 8); }  // its number

 private:
  Event unit_;
};

// Takes all of `events`, as the resolver has left them; the first record is on top of `records` then.
void put_in_order(UnitStack& events, UnitStack& records, const TimeScale& scale);

}  // namespace weir::tool::convert
