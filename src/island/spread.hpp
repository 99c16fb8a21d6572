// SPDX-License-Identifier: Apache-2.0

// Where the parts of an array lie so that they are spread over memory nodes or controllers, which have stripes of the
// memory in turn: part i begins in a stripe of place i modulo their number. After chapter 4.2 of BDDT-SCC: padding.
#pragma once

#include <cstddef>

#include "weir/island_parts.hpp"

namespace weir::island {

// Parts of `bytes` each, a multiple of a line. What is between two parts is less than places * stripe. `stripe`: bytes;
// `places`: nodes or controllers, at least one.
inline detail::PartsLayout spread(std::size_t bytes, std::size_t stripe, std::size_t places) noexcept {
  if (places == 1) return {1, 1, 0, bytes, 1};
  if (bytes <= stripe) return {places, stripe / bytes, stripe, bytes, places * stripe};
  // A part goes on over the places behind its own; the next begins at the place after that one.
  std::size_t stripes = (bytes + stripe - 1) / stripe;
  while (stripes % places != 1) ++stripes;
  return {1, 1, 0, stripes * stripe, 1};
}

// From the first part's start to behind the last one's end.
inline std::size_t bytes_of(const detail::PartsLayout& layout, std::size_t parts) noexcept {
  std::size_t most = 0;
  const std::size_t last = parts < layout.places ? parts : layout.places;
  for (std::size_t i = 1; i <= last; ++i) {
    const std::size_t end = layout.offset_of(parts - i) + layout.part;
    if (end > most) most = end;
  }
  return most;
}

}  // namespace weir::island
