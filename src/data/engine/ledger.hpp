// SPDX-License-Identifier: Apache-2.0

// Ledger: the room of every node, and what is kept for whom.
//
// Books only: it decides nothing. Under the lock of whoever drives the engine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/engine/hierarchy.hpp"
#include "data/engine/node_memory.hpp"
#include "data/engine/place.hpp"

namespace weir::data::engine {

class Ledger {
 public:
  // `memories`: of each node of the hierarchy. Both outlive the ledger.
  Ledger(const Hierarchy& hierarchy, std::vector<NodeMemory*> memories)
      : hierarchy_(hierarchy), memories_(std::move(memories)), nodes_(hierarchy.nodes.size()) {}

  const Hierarchy& hierarchy() const noexcept { return hierarchy_; }

  // ---- Room of a node ----
  std::size_t budget(NodeId node) const noexcept { return memory(node).budget(); }
  std::size_t used(NodeId node) const noexcept { return memory(node).used(); }
  // For replicas: homes that were promised room take it when they want it.
  std::size_t free(NodeId node) const noexcept { return rest(budget(node), used(node) + at(node).unplaced); }
  // What is free or becomes free when the write-backs under way have landed.
  std::size_t free_soon(NodeId node) const noexcept { return free(node) + at(node).leaving; }
  // What blocks that move can ever have: the budget less homes, which are in it for ever or may be.
  std::size_t movable(NodeId node) const noexcept { return rest(budget(node), at(node).permanent + at(node).promised); }
  // How often that became less for some node: what held a footprint may hold it no more.
  std::uint32_t shrinkings() const noexcept { return shrinkings_; }
  std::size_t largest_free(NodeId node) const noexcept { return memory(node).largest_free(); }
  base::Status refusal(NodeId node) const { return memory(node).refusal(); }

  std::optional<Place> take(NodeId node, std::size_t charge, const std::string& name) noexcept {
    const std::optional<std::uint64_t> offset = memory(node).take(charge, name);
    return offset ? std::optional<Place>({node, *offset}) : std::nullopt;
  }
  void give_back(Place place, std::size_t charge) noexcept { memory(place.node).give_back(place.offset, charge); }
  void trim(NodeId node) noexcept { memory(node).trim(); }

  // ---- Of that room, by what it is kept for ----
  // In it for ever: homes that tasks use in place.
  std::size_t permanent(NodeId node) const noexcept { return at(node).permanent; }
  void add_permanent(NodeId node, std::size_t charge) noexcept {
    at(node).permanent += charge;
    ++shrinkings_;
  }
  void remove_permanent(NodeId node, std::size_t charge) noexcept { at(node).permanent -= charge; }
  // Of replicas that leave once their contents are written.
  std::size_t leaving(NodeId node) const noexcept { return at(node).leaving; }
  void begin_leaving(NodeId node, std::size_t charge) noexcept { at(node).leaving += charge; }
  void end_leaving(NodeId node, std::size_t charge) noexcept { at(node).leaving -= charge; }
  // What the schedule keeps for tasks that come next, and other tasks have to leave them.
  std::size_t owed(NodeId node) const noexcept { return at(node).owed; }
  void set_owed(NodeId node, std::size_t bytes) noexcept { at(node).owed = bytes; }
  void forget_owed() noexcept {
    for (NodeBooks& books : nodes_) books.owed = 0;
  }

  // Of replicas in it.
  void add_replica(NodeId node, std::size_t charge) noexcept { at(node).replicas += charge; }
  void remove_replica(NodeId node, std::size_t charge) noexcept { at(node).replicas -= charge; }

  // ---- Homes that blocks leave and come back to ----
  // Room for one, of which nothing is taken until contents are written there. Replicas that are in the node already do
  // not make way.
  bool try_promise(NodeId node, std::size_t charge) noexcept {
    NodeBooks& books = at(node);
    if (books.permanent + books.promised + books.replicas + charge > budget(node)) return false;
    books.promised += charge;
    books.unplaced += charge;
    ++shrinkings_;
    return true;
  }
  void withdraw_promise(NodeId node, std::size_t charge) noexcept {
    at(node).promised -= charge;
    at(node).unplaced -= charge;
  }
  // The room is taken; or it was, and is wanted no more.
  void place_home(NodeId node, std::size_t charge) noexcept { at(node).unplaced -= charge; }
  void remove_home(NodeId node, std::size_t charge) noexcept { at(node).promised -= charge; }
  // What homes that have no place yet will take.
  std::size_t unplaced(NodeId node) const noexcept { return at(node).unplaced; }
  // Of all homes of the tier, those for ever, too.
  std::size_t homes(TierIndex tier) const noexcept {
    std::size_t bytes = 0;
    for (const NodeId node : hierarchy_.tier(tier).nodes) bytes += homes(node);
    return bytes;
  }
  std::size_t homes(NodeId node) const noexcept { return at(node).permanent + at(node).promised; }

 private:
  struct NodeBooks {
    std::size_t permanent = 0, leaving = 0, owed = 0, replicas = 0;
    std::size_t promised = 0;  // to homes that are not permanent
    std::size_t unplaced = 0;  // of these, without a place
  };

  static std::size_t rest(std::size_t all, std::size_t taken) noexcept { return all - std::min(all, taken); }
  NodeMemory& memory(NodeId node) const noexcept { return *memories_[index_of(node)]; }
  NodeBooks& at(NodeId node) noexcept { return nodes_[index_of(node)]; }
  const NodeBooks& at(NodeId node) const noexcept { return nodes_[index_of(node)]; }

  const Hierarchy& hierarchy_;
  const std::vector<NodeMemory*> memories_;
  std::vector<NodeBooks> nodes_;
  std::uint32_t shrinkings_ = 0;
};

}  // namespace weir::data::engine
