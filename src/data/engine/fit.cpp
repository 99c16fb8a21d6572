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

std::size_t Fit::charge_wanted(const Request& request) noexcept {
  ChargeSum sum;
  for (const Use& use : request.uses())
    if (!use.block->home.in_place && !is_held_around(request, *use.block)) sum.add(use.block->charge);
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

bool Fit::needs_several_nodes(const Request& request) const noexcept {
  const std::vector<NodeId>& nodes = usual_nodes();
  if (!any_node_will_do() || nodes.size() < 2) return false;
  const std::size_t bytes = charge_wanted(request);
  return std::none_of(nodes.begin(), nodes.end(), [&](NodeId node) { return bytes <= room_ever(request, node); });
}

// For the blocks of `which`, on nodes of `room_of` bytes.
template <class Which, class RoomOf>
bool Fit::plan_over_nodes(Request& request, Which which, RoomOf room_of) {
  const std::vector<NodeId>& nodes = usual_nodes();
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

bool Fit::plan_missing(Request& request, const policy::Demand& demand) {
  return plan_over_nodes(request, is_missing, [&](NodeId node) { return room_soon(request, node, demand); });
}

bool Fit::is_in_its_own_way(Request& request, const policy::Demand& demand) {
  const auto which = [](const Use& use) { return is_missing(use) || is_its_own(use); };
  return plan_over_nodes(request, which, [&](NodeId node) {
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

bool Fit::never_fits(Request& request) {
  if (needs_several_nodes(request)) {
    const auto wanted = [&](const Use& use) {
      return !use.block->home.in_place && !is_held_around(request, *use.block);
    };
    return !plan_over_nodes(request, wanted, [&](NodeId node) { return room_ever(request, node); });
  }
  const std::size_t wanted = charge_wanted(request);
  if (!any_node_will_do()) return !fits_alone(request, wanted, target_of(request));
  const std::vector<NodeId>& nodes = usual_nodes();
  return std::none_of(nodes.begin(), nodes.end(), [&](NodeId node) { return fits_alone(request, wanted, node); });
}

}  // namespace weir::data::engine
