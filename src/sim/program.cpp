// SPDX-License-Identifier: Apache-2.0

#include "sim/program.hpp"

#include <algorithm>

namespace weir::sim {

std::uint64_t Item::bytes(const std::vector<ProgramBlock>& blocks) const {
  return is_block ? blocks[block].bytes : std::uint64_t{region.row_bytes} * region.rows;
}

bool Item::is_tiered(const std::vector<ProgramBlock>& blocks) const { return is_block && !blocks[block].in_no_tier; }

const std::string* RealRun::setting(const std::string& name) const {
  for (const auto& [known, text] : settings)
    if (known == name) return &text;
  return nullptr;
}

const Partition* Program::watched_array(std::uint64_t number) const {
  const auto at = std::lower_bound(watched.begin(), watched.end(), number,
                                   [](const Partition& array, std::uint64_t wanted) { return array.id < wanted; });
  return at != watched.end() && at->id == number ? &*at : nullptr;
}

}  // namespace weir::sim
