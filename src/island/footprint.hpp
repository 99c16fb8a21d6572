// SPDX-License-Identifier: Apache-2.0

// Footprints in lines of cache, which is what islands share.
//
// Pure computation over the master's heap; the master's thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "island/heap.hpp"
#include "island/memory.hpp"
#include "weir/footprint.hpp"

namespace weir::island {

// The access as the dependence analysis is to see it: of whole lines; commutative as inout; reduce as commutative, of
// the bytes of its object alone, since two objects in one line have copies in lines of their own (private_copies.hpp):
// TaskGraph::group_of() says which of them are in no order among each other. `heap`:
// data must be of one piece that it has given out. bad_input for other memory, and a watched array whose blocks share
// lines.
base::Result<Access> in_lines(const Access& access, Heap& heap);

// Calls f(data, bytes) for each contiguous run of the region.
template <class F>
void for_each_run(const Region& region, F f) {
  const auto* row = static_cast<const std::byte*>(region.base);
  if (region.rows > 1 && region.stride_bytes == region.row_bytes) return f(row, region.rows * region.row_bytes);
  for (std::size_t i = 0; i < region.rows; ++i, row += region.stride_bytes) f(row, region.row_bytes);
}

inline std::uint64_t bytes_of(const Region& region) noexcept { return std::uint64_t{region.row_bytes} * region.rows; }

}  // namespace weir::island
