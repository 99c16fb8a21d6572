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

// Two looks at the same victim.
struct Look {
  std::uint64_t version = 0;   // of its deque: equal when nothing was pushed or removed in between
  std::uint64_t spawned = 0;   // tasks it has spawned so far, ready or not
  std::uint64_t at_ns = 0;
};

}  // namespace weir::sched::policy
