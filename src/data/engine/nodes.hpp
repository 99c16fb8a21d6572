// SPDX-License-Identifier: Apache-2.0

// Nodes: which node a mode of allocation means, as seen from a domain. The rule is memory/policy/place.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "data/engine/ledger.hpp"
#include "weir/options.hpp"

namespace weir::data::engine {

class Nodes {
 public:
  // The ledger outlives it. `usual`: the tier that blocks are brought to.
  Nodes(const Ledger& ledger, TierIndex usual) : ledger_(ledger), usual_(usual), seen_(ledger.hierarchy().seen) {}

  // For a block or a task of that domain; where the mode wishes for nothing, any node of the usual
  // tier.
  NodeId choose(Allocation mode, DomainId domain) noexcept;
  // How often local-fast found no fast memory adjacent to the domain and took ordinary memory.
  std::uint64_t fallbacks() const noexcept { return fallbacks_; }

 private:
  const Ledger& ledger_;
  const TierIndex usual_;
  std::vector<std::vector<memory::policy::ArenaState>> seen_;  // free_bytes is filled in when used
  std::uint64_t fallbacks_ = 0;
};

}  // namespace weir::data::engine
