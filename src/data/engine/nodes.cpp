// SPDX-License-Identifier: Apache-2.0

#include "data/engine/nodes.hpp"

#include "memory/policy/place.hpp"

namespace weir::data::engine {

NodeId Nodes::choose(Allocation mode, DomainId domain) noexcept {
  std::vector<memory::policy::ArenaState>& seen = seen_[static_cast<std::size_t>(domain)];
  for (std::size_t i = 0; i < seen.size(); ++i) seen[i].free_bytes = ledger_.free(static_cast<NodeId>(i));
  const memory::policy::Placement placement = memory::policy::place(mode, seen);
  if (placement.fell_back) ++fallbacks_;
  if (placement.arena >= 0) return static_cast<NodeId>(placement.arena);
  const std::vector<NodeId>& usual = ledger_.hierarchy().tier(usual_).nodes;
  return usual[static_cast<std::size_t>(domain) % usual.size()];
}

}  // namespace weir::data::engine
