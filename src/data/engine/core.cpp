// SPDX-License-Identifier: Apache-2.0

#include "data/engine/core.hpp"

#include <algorithm>
#include <utility>

namespace weir::data::engine {

namespace {

// With a mode that does not ask for fast memory, ordinary memory is the tier that blocks are brought to.
TierIndex usual_tier_of(const Hierarchy& hierarchy, Allocation allocation) noexcept {
  const auto& tiers = hierarchy.tiers;
  std::size_t usual = 0;
  if (allocation == Allocation::default_ || allocation == Allocation::local) {
    const auto ordinary = std::find_if(tiers.begin(), tiers.end(), [](const TierShape& t) { return t.ordinary; });
    if (ordinary != tiers.end()) usual = static_cast<std::size_t>(ordinary - tiers.begin());
  }
  while (!tiers[usual].addressable && usual + 1 < tiers.size()) ++usual;
  return static_cast<TierIndex>(usual);
}

}  // namespace

Core::Core(const Hierarchy& hierarchy, std::vector<NodeMemory*> memories, const Config& with)
    : config(with),
      usual(usual_tier_of(hierarchy, with.allocation)),
      chain(with.chains && hierarchy.has_chain()),
      ledger(hierarchy, std::move(memories)),
      replicas(ledger, with.evict, chain) {}

namespace {

void count(Load& load, RequestState state, std::uint32_t by) noexcept {
  switch (state) {
    case RequestState::fragmented: load.fragmented += by; [[fallthrough]];
    case RequestState::waiting: load.waiting += by; break;
    case RequestState::staging: load.staging += by; break;
    case RequestState::held:
    case RequestState::begun: load.with_room += by; break;
    default: break;
  }
}

constexpr std::uint32_t kOneLess = ~std::uint32_t{0};

}  // namespace

void Core::set_state(Request& request, RequestState to) noexcept {
  count(load, request.state(), kOneLess);
  count(load, to, 1);
  if (to == RequestState::held) load.queued.fetch_add(1, std::memory_order_relaxed);  // relaxed: Load::queued says why
  request.change_state(to);
}

bool Core::revoke(Request& request) noexcept {
  if (!request.revoke()) return false;
  count(load, RequestState::held, kOneLess);
  count(load, RequestState::waiting, 1);
  load.queued.fetch_sub(1, std::memory_order_relaxed);  // relaxed: Load::queued says why
  return true;
}

}  // namespace weir::data::engine
