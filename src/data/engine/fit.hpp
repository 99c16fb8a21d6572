// SPDX-License-Identifier: Apache-2.0

// Fit: to which tier and node the blocks of a task are brought, how much room it needs there, what a node can give it,
// and on which nodes its blocks go when one is not enough.
//
// Answers without changing anything but Use::planned and Request::target. Rule 1 of docs/protocols/admission.md is
// here: what the tasks around a task hold is never waited for. Under the lock of whoever drives the engine.
#pragma once

#include <cstddef>

#include "data/engine/core.hpp"
#include "data/engine/nodes.hpp"
#include "data/engine/room.hpp"

namespace weir::data::engine {

// Where the blocks of one task are brought to.
struct Target {
  NodeId node = NodeId::none;
  TierIndex tier = TierIndex::none;  // of the node
  bool any_node = false;             // of the tier's nodes any will do
};

class Fit {
 public:
  Fit(Core& core, Nodes& nodes, const Room& room) : core_(core), nodes_(nodes), room_(room) {}

  // Where the blocks of this task are brought to: by the mode of allocation and its domain, or, where tiers form a
  // chain and its footprint can never be in the tier of that node, the next tier in which it can.
  Target target_of(Request& request) {
    const NodeId node = nodes_.choose(core_.config.allocation, request.domain);
    if (core_.chain) [[unlikely]]
      return target_in_chain(request, node);
    return target_at(node);
  }
  const std::vector<NodeId>& nodes_of(const Target& target) const noexcept {
    return core_.hierarchy().tier(target.tier).nodes;
  }
  // The home is in memory as fast as where the task's blocks are brought to, or in that: it is used there.
  bool is_home_good(const Block& block, const Target& target) const noexcept {
    const TierIndex home = block.home.tier;
    return home != TierIndex::none && home <= target.tier && core_.hierarchy().tier(home).addressable;
  }

  // What all its blocks take of a node when none is there, small ones by the slab.
  static std::size_t charge_of_all(const Request& request) noexcept;
  // The same less what tasks around it hold, and what it uses at home.
  std::size_t charge_wanted(const Request& request, const Target& target) const noexcept;
  // What the tasks around it take of the node, or (none) of all.
  static std::size_t charge_around(const Request& request, NodeId node) noexcept;

  // Of what is free there, or becomes free, it has to leave this to those before it.
  std::size_t owed_before(const Request& request, NodeId node) const noexcept {
    return is_urgent(request) ? 0 : core_.ledger.owed(node);
  }
  static bool is_urgent(const Request& request) noexcept {
    return request.kind == RequestKind::addition || request.parent != nullptr;
  }

  // Any node will do, and none holds the whole footprint.
  bool needs_several_nodes(const Request& request, const Target& target) const noexcept;
  // Plans the missing blocks over nodes by what each can be made to give (Use::planned). False: they do not fit so.
  bool plan_missing(Request& request, const Target& target, const policy::Demand& demand);
  // They would if those that are there, and that no other task uses, lay elsewhere.
  bool is_in_its_own_way(Request& request, const Target& target, const policy::Demand& demand);
  // What planned blocks take of the node.
  static std::size_t charge_planned(const Request& request, NodeId node) noexcept;
  // Whatever leaves, it cannot have its room.
  bool never_fits(Request& request) { return !ever_fits(request, target_of(request)); }

  static bool is_missing(const Use& use) noexcept { return !use.at_home && use.replica == nullptr; }

 private:
  Target target_at(NodeId node) const noexcept {
    return {node, core_.hierarchy().tier_of(node), core_.config.allocation == Allocation::fast};
  }
  Target target_in_chain(Request& request, NodeId node);
  Target first_that_fits(Request& request, const Target& first);
  NodeId roomiest(TierIndex tier) const noexcept;
  bool ever_fits(Request& request, const Target& target);
  template <class Which, class RoomOf>
  bool plan_over_nodes(Request& request, const Target& target, Which which, RoomOf room_of);
  std::size_t room_soon(const Request& request, NodeId node, const policy::Demand& demand) const noexcept;
  std::size_t room_ever(const Request& request, NodeId node) const noexcept;
  bool fits_alone(const Request& request, std::size_t wanted, NodeId node) const noexcept;

  Core& core_;
  Nodes& nodes_;
  const Room& room_;
};

}  // namespace weir::data::engine
