// SPDX-License-Identifier: Apache-2.0

// Which data it is that one task waits for another: for people, from what the two tasks still know of their footprints.
//
// Pure function; any thread. Sections come without their stride (detail::KeptFootprint), and the watched arrays of
// `earlier` may be gone; those of `later` are there.
#pragma once

#include <cstddef>
#include <span>

#include "weir/footprint.hpp"

namespace weir::deps {

struct Conflict {
  bool found = false;
  bool sure = true;           // not found: there is none; else an item could not be compared
  std::size_t earlier = 0;    // index of an item: the first that conflicts with `later`
  std::size_t later = 0;      // likewise: the first that conflicts with any
  std::size_t more = 0;       // further items of the later task that conflict
  bool only_a_block = false;  // they share no byte, but a block of a watched array
};

enum class Between { order, exclusion };  // one after the other; or at any time, but not both at once

Conflict find_conflict(std::span<const Access> earlier, std::span<const Access> later, Between what);

// "in", "inout" and so on.
const char* name_of(Mode mode) noexcept;

}  // namespace weir::deps
