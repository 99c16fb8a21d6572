// SPDX-License-Identifier: Apache-2.0

#include "rank_clocks.hpp"

namespace weir::tool::job {

std::vector<report::Ns> clock_moves(std::size_t hosts, std::span<const ShortestWay> ways) {
  std::vector<report::Ns> moves(hosts, 0);
  for (std::size_t round = 0; round <= hosts; ++round) {
    bool has_changed = false;
    for (const ShortestWay& way : ways) {
      const report::Ns latest = moves[way.to] + way.ns;  // that lets what it sends come in time
      if (moves[way.from] <= latest) continue;
      moves[way.from] = latest;
      has_changed = true;
    }
    if (!has_changed) return moves;
  }
  return std::vector<report::Ns>(hosts, 0);
}

}  // namespace weir::tool::job
