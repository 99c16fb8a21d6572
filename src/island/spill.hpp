// SPDX-License-Identifier: Apache-2.0

// Spill: what lies on another memory node than its stripe's (island_nodes), where the kernel found no room on that one.
//
// The kernel prefers a node and says nothing when it takes another, so pages are looked at when they are there. Pure,
// but for questions to the kernel about pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "island/segment.hpp"

namespace weir::island {

struct Spill {
  // Whether the page is on the node; none: it is not there yet, or the kernel does not tell.
  using IsOn = std::function<std::optional<bool>(std::byte* page, int os_node)>;

  std::uint64_t there = 0;      // bytes that have pages
  std::uint64_t elsewhere = 0;  // of these
  int from_node = -1;           // whose stripe has the first of them
  bool is_sampled = false;      // the bytes are from pages spread over the memory

  // For people; "": all lies where it is to lie. `nodes`: as the option says them.
  std::string text(const std::string& nodes) const;
};

// Of the first `bytes` of memory that map_segment() has given for the segment. Looks at 65536 pages at most, a
// microsecond each.
Spill find_spill(const memory::SharedBacking& memory, const Segment& segment, std::uint64_t bytes,
                 const Spill::IsOn& is_on);
Spill find_spill(const memory::SharedBacking& memory, const Segment& segment, std::uint64_t bytes);

}  // namespace weir::island
