// SPDX-License-Identifier: Apache-2.0

// The pieces in which contents are written and read: of a write that goes well, and still in a cache when the checksum
// is made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace weir::checkpoint {

inline constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

// Calls f(offset, piece) for each, in their order; the last may be shorter.
template <class Byte, class F>
void for_each_piece(std::span<Byte> bytes, F&& f) {
  for (std::size_t at = 0; at < bytes.size(); at += kPieceBytes)
    f(at, bytes.subspan(at, std::min(kPieceBytes, bytes.size() - at)));
}

}  // namespace weir::checkpoint
