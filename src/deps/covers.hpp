// SPDX-License-Identifier: Apache-2.0

// Whether a child's footprint lies within its parent's: the check of debug builds. Pure function; any thread.
#pragma once

#include <span>
#include <string>

#include "deps/record.hpp"

namespace weir::deps {

// The first part of a child's item that the parent's footprint does not allow.
struct Uncovered {
  ByteRange bytes;
  bool only_read = false;  // the parent does name the memory, but only to read it, and the child writes
};

// True when each byte of `child` is in some item of `parent` whose mode allows it: reading is covered by any mode,
// writing by a mode that writes. A parent's reduce item covers nothing, since the parent has no right to the object
// itself, only to its private copy. Exact on unions of items; blocks of watched arrays play no part.
// Cost: rows of the child x items of the parent. `uncovered` may be null.
bool covers(std::span<const Access> parent, const Access& child, Uncovered* uncovered = nullptr) noexcept;

// One sentence for people: what is not covered, of which item, and what to do.
std::string describe(const Uncovered& uncovered, const Access& child);

}  // namespace weir::deps
