// SPDX-License-Identifier: Apache-2.0

// What the stealing policy decides from: a thief's view of itself and of one victim.
#pragma once

#include <cstdint>

#include "weir/options.hpp"

namespace weir::sched::policy {

struct Thief {
  Policy policy = Policy::near;
  std::uint64_t searched_ns = 0;   // since it ran out of work
  std::uint64_t far_after_ns = 0;  // option far-after
};

inline constexpr std::uint64_t kUnknownPace = ~std::uint64_t{0};

// What a thief sees of a victim that has something.
struct Victim {
  std::uint32_t items = 0;
  std::uint64_t pace_ns = kUnknownPace;  // that its tasks took it, each, when it last measured
};

// Two looks at the same victim.
struct Look {
  int victim = -1;            // its index; -1: no look yet
  std::uint64_t version = 0;  // of its deque: equal when nothing was pushed or removed in between
  std::uint64_t spawned = 0;  // tasks it has spawned so far, ready or not
  std::uint64_t at_ns = 0;
};

// What a thief has run of other workers' children since it stole, and for how long it was busy.
struct Spoils {
  std::uint64_t tasks = 0;
  std::uint64_t ns = 0;
  std::uint32_t batch = 0;                    // how many it took at once, the last time
  std::uint64_t home_pace_ns = kUnknownPace;  // what such a task took the victim
};

// A spawning thread that has been throttled.
struct Ahead {
  std::int64_t now = 0;   // limit in force
  std::int64_t most = 0;  // option throttle; 0: none
  int workers = 1;
};
struct Drained {
  std::int64_t tasks = 0;  // that it has run itself meanwhile; what others have ended says nothing of its time
  std::uint64_t ns = 0;    // how long that took it, less what it searched and slept
  bool someone_idle = false;
};

}  // namespace weir::sched::policy
