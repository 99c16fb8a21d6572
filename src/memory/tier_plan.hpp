// SPDX-License-Identifier: Apache-2.0

// How many bytes each memory node gives to each tier: what was asked for, compared with what there is.
//
// Pure: a table test runs it on described machines. tier_set.hpp carries it out.
#pragma once

#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "machine/machine.hpp"
#include "memory/memory_state.hpp"
#include "memory/policy/snapshot.hpp"
#include "memory/tier_spec.hpp"

namespace weir::memory {

struct PlannedNode {
  MemoryNodeId node{};
  Bytes budget;
};

struct PlannedTier {
  TierRequest request;
  std::vector<PlannedNode> nodes;  // none for a file
};

struct TierPlan {
  std::vector<PlannedTier> tiers;  // in the order of the spec; never empty
  std::vector<std::string> warnings;
  bool prefer = false;  // the spec's; true for an empty spec, which asks for nothing in particular
};

// The memory nodes of a kind that this process may use; none for a file.
std::vector<MemoryNodeId> nodes_of(const machine::Machine& machine, TierKind kind);

// An empty spec: hbm, ddr, cxl and nvm, where the machine has them.
//
// A size is dealt out evenly to the nodes of its kind, up to what each has. Where no size is said, each node
// gives what is free less a reserve: a twentieth; of ordinary memory at least 256 MiB, but not more than a quarter.
// All tiers together stay within state.mappable(), faster ones first, less the same reserve for sizes not said; of an
// address space limit half.
// Fails with not_found or no_space when a tier cannot have what was asked; with spec.prefer it gets what there is, or
// is left out, and a warning says so. Fails with bad_option when tasks could use none of the tiers in place, or the
// first is a file.
base::Result<TierPlan> plan_tiers(const machine::Machine& machine, const TierSpec& spec, const MemoryState& state);

// A node of a tier as seen from a domain, but for what is free.
policy::ArenaState seen_from(const machine::Machine& machine, DomainId domain, int tier, TierKind kind,
                             MemoryNodeId node);

}  // namespace weir::memory
