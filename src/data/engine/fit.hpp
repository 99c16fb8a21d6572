// SPDX-License-Identifier: Apache-2.0

// Fit: how much room a task needs, what a node can give it, and on which nodes its blocks go when one is not enough.
//
// Answers without changing anything but Use::planned. Rule 1 of docs/protocols/admission.md is here: what the tasks
// around a task hold is never waited for. Under the lock of whoever drives the engine.
#pragma once

#include <cstddef>

#include "data/engine/core.hpp"
#include "data/engine/nodes.hpp"
#include "data/engine/room.hpp"

namespace weir::data::engine {

class Fit {
 public:
  Fit(Core& core, Nodes& nodes, const Room& room) : core_(core), nodes_(nodes), room_(room) {}

  // The node that the task's blocks are brought to, by the mode of allocation.
  NodeId target_of(const Request& request) noexcept { return nodes_.choose(core_.config.allocation, request.domain); }
  // Where the mode names a tier and not a node.
  bool any_node_will_do() const noexcept { return core_.config.allocation == Allocation::fast; }
  const std::vector<NodeId>& usual_nodes() const noexcept { return core_.usual_tier().nodes; }

  // What all its blocks take of a node when none is there, small ones by the slab.
  static std::size_t charge_of_all(const Request& request) noexcept;
  // The same less what tasks around it hold.
  static std::size_t charge_wanted(const Request& request) noexcept;
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
  bool needs_several_nodes(const Request& request) const noexcept;
  // Plans the missing blocks over nodes by what each can be made to give (Use::planned). False: they do not fit so.
  bool plan_missing(Request& request, const policy::Demand& demand);
  // They would if those that are there, and that no other task uses, lay elsewhere.
  bool is_in_its_own_way(Request& request, const policy::Demand& demand);
  // What planned blocks take of the node.
  static std::size_t charge_planned(const Request& request, NodeId node) noexcept;
  // Whatever leaves, it cannot have its room.
  bool never_fits(Request& request);

  static bool is_missing(const Use& use) noexcept { return !use.at_home && use.replica == nullptr; }

 private:
  template <class Which, class RoomOf>
  bool plan_over_nodes(Request& request, Which which, RoomOf room_of);
  std::size_t room_soon(const Request& request, NodeId node, const policy::Demand& demand) const noexcept;
  std::size_t room_ever(const Request& request, NodeId node) const noexcept;
  bool fits_alone(const Request& request, std::size_t wanted, NodeId node) const noexcept;

  Core& core_;
  Nodes& nodes_;
  const Room& room_;
};

}  // namespace weir::data::engine
