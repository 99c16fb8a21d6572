// SPDX-License-Identifier: Apache-2.0

#include "data/tier_costs.hpp"

#include <utility>
#include <vector>

namespace weir::data {

namespace {

using machine::Cost;

constexpr Cost kTypicalFile{2, 1.5, 100'000};
constexpr Cost kTypicalLink{12, 12, 10'000};  // to memory that is no node of this machine
constexpr double kGiga = 1e9;

double emulated_fraction(const TierSet& tiers) noexcept {
  for (const Tier& tier : tiers.tiers())
    if (tier.copy_fraction > 0) return tier.copy_fraction;
  return 0;
}

// A copy of so many bytes a second reads and writes as many.
std::vector<Cost> with_bandwidth(std::vector<Cost> seen, double bytes_per_second) {
  for (Cost& cost : seen) cost.read_gb_per_s = cost.write_gb_per_s = bytes_per_second / kGiga;
  return seen;
}

}  // namespace

machine::CostModel cost_model_of(const machine::Machine& machine, const TierSet& tiers,
                                 double emulated_bytes_per_second) {
  const std::vector<std::vector<Cost>> of_machine = machine::costs_of(machine);
  const double fraction = emulated_bytes_per_second > 0 ? emulated_fraction(tiers) : 0;
  std::vector<std::vector<Cost>> costs;
  for (const Tier& tier : tiers.tiers()) {
    for (std::size_t i = 0; i < tier.arenas.size(); ++i) {
      std::vector<Cost> seen = i < tier.nodes.size() ? of_machine[static_cast<std::size_t>(tier.nodes[i])]
                                                     : std::vector<Cost>(machine.domains().size(), kTypicalLink);
      if (fraction > 0 && tier.copy_fraction > 0)
        seen = with_bandwidth(std::move(seen), emulated_bytes_per_second);
      else if (fraction > 0 && (tier.kind == TierKind::memory || tier.kind == TierKind::ddr))
        seen = with_bandwidth(std::move(seen), 2 * emulated_bytes_per_second / fraction);
      costs.push_back(std::move(seen));
    }
  }
  for (const Tier& tier : tiers.tiers())
    if (tier.file != nullptr) costs.emplace_back(machine.domains().size(), kTypicalFile);
  return machine::CostModel(std::move(costs));
}

}  // namespace weir::data
