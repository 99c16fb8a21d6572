// SPDX-License-Identifier: Apache-2.0

#include "data/engine/fit.hpp"

#include <algorithm>
#include <vector>

#include "data/engine/charge.hpp"
#include "data/policy/admit.hpp"
#include "data/spread.hpp"

namespace weir::data::engine {

namespace {

// A task around it has the block for as long as this one waits.
bool is_held_around(const Request& request, const Block& block) noexcept {
  for (const Request* around = request.parent; around != nullptr; around = around->parent)
    if (around->find(block) != nullptr) return true;
  return false;
}

// So has one that is nearer to it than `around`.
bool is_held_nearer(const Request& request, const Request& around, const Block& block) noexcept {
  for (const Request* inner = request.parent; inner != &around; inner = inner->parent)
    if (inner->find(block) != nullptr) return true;
  return false;
}

const Replica* replica_on(const Block& block, NodeId node) noexcept {
  const Replica* r = block.replicas;
  while (r != nullptr && node != NodeId::none && r->place.node != node) r = r->next;
  return r;
}

// No other task uses it, and it could leave.
bool is_its_own(const Use& use) noexcept {
  return use.replica != nullptr && use.replica->pins == 1 && use.replica->is_idle();
}

}  // namespace

std::size_t Fit::charge_of_all(const Request& request) noexcept {
  ChargeSum sum;
  for (const Use& use : request.uses())
    if (!use.block->home.in_place) sum.add(use.block->charge);
  return sum.bytes();
}

std::size_t Fit::charge_wanted(const Request& request, const Target& target) const noexcept {
  ChargeSum sum;
  for (const Use& use : request.uses()) {
    const Block& block = *use.block;
    if (!block.home.in_place && !is_home_good(block, target) && !is_held_around(request, block)) sum.add(block.charge);
  }
  return sum.bytes();
}

// A block that one of them uses in a file's pages counts as if it had room, so that it does not depend on time who fits
// in addition to them.
std::size_t Fit::charge_around(const Request& request, NodeId node) noexcept {
  ChargeSum sum;
  for (const Block* const block : request.also_held) {
    const bool here = replica_on(*block, node) != nullptr || block->home_uses != 0;
    if (here && !block->home.in_place) sum.add(block->charge);
  }
  for (const Request* around = request.parent; around != nullptr; around = around->parent) {
    for (const Use& use : around->uses()) {
      const Block& block = *use.block;
      if (is_held_nearer(request, *around, block)) continue;
      const bool in_file = use.at_home && block.home.kind == Home::Kind::file;
      const bool here = use.replica != nullptr && (node == NodeId::none || use.replica->place.node == node);
      if (in_file || here) sum.add(block.charge);
    }
  }
  return sum.bytes();
}

std::size_t Fit::charge_planned(const Request& request, NodeId node) noexcept {
  ChargeSum sum;
  for (const Use& use : request.uses())
    if (use.planned == node) sum.add(use.block->charge);
  return sum.bytes();
}

std::size_t Fit::room_ever(const Request& request, NodeId node) const noexcept {
  const std::size_t movable = core_.ledger.movable(node);
  return movable - std::min(movable, charge_around(request, node));
}

std::size_t Fit::room_soon(const Request& request, NodeId node, const policy::Demand& demand) const noexcept {
  const std::size_t all = core_.ledger.free_soon(node) + room_.displaceable(node, demand);
  return all - std::min(all, owed_before(request, node));
}

// ---- Several nodes ----

bool Fit::needs_several_nodes(const Request& request, const Target& target) const noexcept {
  const std::vector<NodeId>& nodes = nodes_of(target);
  if (!target.any_node || nodes.size() < 2) return false;
  const std::size_t bytes = charge_wanted(request, target);
  return std::none_of(nodes.begin(), nodes.end(), [&](NodeId node) { return bytes <= room_ever(request, node); });
}

// For the blocks of `which`, on nodes of `room_of` bytes.
template <class Which, class RoomOf>
bool Fit::plan_over_nodes(Request& request, const Target& target, Which which, RoomOf room_of) {
  const std::vector<NodeId>& nodes = nodes_of(target);
  std::vector<std::size_t> sizes, room;
  for (Use& use : request.uses()) {
    use.planned = NodeId::none;
    if (which(use)) sizes.push_back(use.block->charge);
  }
  for (const NodeId node : nodes) room.push_back(room_of(node));
  std::vector<int> to(sizes.size());
  if (!spread(sizes, room, to)) return false;
  auto next = to.begin();
  for (Use& use : request.uses())
    if (which(use)) use.planned = nodes[static_cast<std::size_t>(*next++)];
  return true;
}

bool Fit::plan_missing(Request& request, const Target& target, const policy::Demand& demand) {
  return plan_over_nodes(request, target, is_missing, [&](NodeId node) { return room_soon(request, node, demand); });
}

bool Fit::is_in_its_own_way(Request& request, const Target& target, const policy::Demand& demand) {
  const auto which = [](const Use& use) { return is_missing(use) || is_its_own(use); };
  return plan_over_nodes(request, target, which, [&](NodeId node) {
    std::size_t bytes = room_soon(request, node, demand);
    for (const Use& use : request.uses())
      bytes += is_its_own(use) && use.replica->place.node == node ? use.block->charge : 0;
    return bytes;
  });
}

// ---- Ever ----

bool Fit::fits_alone(const Request& request, std::size_t wanted, NodeId node) const noexcept {
  return policy::can_ever_fit({wanted, charge_around(request, node), core_.ledger.movable(node)});
}

bool Fit::ever_fits(Request& request, const Target& target) {
  if (needs_several_nodes(request, target)) {
    const auto wanted = [&](const Use& use) {
      const Block& block = *use.block;
      return !block.home.in_place && !is_home_good(block, target) && !is_held_around(request, block);
    };
    return plan_over_nodes(request, target, wanted, [&](NodeId node) { return room_ever(request, node); });
  }
  const std::size_t wanted = charge_wanted(request, target);
  if (!target.any_node) return fits_alone(request, wanted, target.node);
  const std::vector<NodeId>& nodes = nodes_of(target);
  return std::any_of(nodes.begin(), nodes.end(), [&](NodeId node) { return fits_alone(request, wanted, node); });
}

// ---- Chains of tiers ----

// Kept for as long as it can hold the footprint: what was brought there for the task is of use to it. Homes that are
// made later may take so much of the tier that it cannot.
Target Fit::target_in_chain(Request& request, NodeId node) {
  const Target first = target_at(node);
  if (request.target.is_set()) {
    const TierIndex tier = request.target.tier();
    const Target kept = tier == first.tier ? first : Target{roomiest(tier), tier, true};
    if (request.target_asked == core_.ledger.shrinkings() || request.has_room() || ever_fits(request, kept)) {
      request.target_asked = core_.ledger.shrinkings();
      return kept;
    }
  }
  const Target target = first_that_fits(request, first);
  request.target = TierNumber(target.tier);
  request.target_asked = core_.ledger.shrinkings();
  return target;
}

// Of that and the tiers behind it that tasks can use. None does: that.
Target Fit::first_that_fits(Request& request, const Target& first) {
  Target target = first;
  const std::size_t tiers = core_.hierarchy().tiers.size();
  for (std::size_t t = index_of(first.tier) + 1; t < tiers && !ever_fits(request, target); ++t) {
    const auto tier = static_cast<TierIndex>(t);
    if (core_.hierarchy().tier(tier).addressable) target = {roomiest(tier), tier, true};
  }
  return ever_fits(request, target) ? target : first;
}

NodeId Fit::roomiest(TierIndex tier) const noexcept {
  const std::vector<NodeId>& nodes = core_.hierarchy().tier(tier).nodes;
  return *std::max_element(nodes.begin(), nodes.end(),
                           [&](NodeId a, NodeId b) { return core_.ledger.free(a) < core_.ledger.free(b); });
}

}  // namespace weir::data::engine
