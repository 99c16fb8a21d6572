// SPDX-License-Identifier: Apache-2.0

// What the library in a program has written about where its memory was, read, and put in words. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "placer/wire.hpp"

namespace weir::tool {

struct PlacedProcess {
  int pid = 0;
  std::string identity;     // of those with that number: its space of numbers, and when it began
  bool ended = false;       // and has said where its memory was
  int failures = 0;         // placements that the kernel has refused
  bool own_malloc = false;  // large allocations do not come to the library
  std::string name;
  std::map<int, std::uint64_t> bytes[placer::kKinds];  // by the kernel's number of the node
};

// In the order in which they began; a line that is not one of the library's is passed over.
std::vector<PlacedProcess> read_placements(std::string_view text);

std::uint64_t bytes_of(const PlacedProcess& process);

struct PlacementWords {
  std::vector<int> nodes;                   // where memory was asked to be
  bool only_large = false;                  // of that, only the large allocations
  std::string large = "allocations";        // how those are called
  std::function<std::string(int)> name_of;  // "hbm0"
};

// "5.9 of 6.0 GB in hbm0; 100.0 MB stacks in ddr0": first what was asked, then what is elsewhere, by kind and node. Of
// several nodes each has its share: "6.0 of 6.0 GB in hbm0 (3.0), hbm1 (3.0)".
std::string placement_text(const PlacedProcess& process, const PlacementWords& words);

// Of pages that were to be spread evenly over the nodes: "least has 0.1 MB, in ddr1, and most 7.9 MB, in hbm0". Empty
// where shares differ by less than half of the largest, or by so little memory that it is no matter.
std::string uneven_text(const PlacedProcess& process, const PlacementWords& words);

}  // namespace weir::tool
