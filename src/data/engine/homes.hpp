// SPDX-License-Identifier: Apache-2.0

// Homes: where blocks live when they are in no replica.
//
// Decides at the making of a block, and gives its home a place when contents are first written there. Under the lock of
// whoever drives the engine.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "data/engine/core.hpp"
#include "data/engine/nodes.hpp"

namespace weir::data::engine {

class Homes {
 public:
  // What `off` leaves of the fast tier for tasks whose blocks are in a file: they need a place while the task runs.
  static constexpr std::size_t kStagingPart = 8;

  Homes(Core& core, Nodes& nodes)
      : core_(core), ledger_(core.ledger), nodes_(nodes), caches_(core.hierarchy().tiers.size()) {}

  // Finds a home, and a place at once while blocks are not tracked. Fails with no_space: block, bytes, tiers, remedy.
  base::Status add(Block& block, const PlacementHint& hint);
  // Gives its room back. It has no replica.
  void remove(Block& block) noexcept;
  // Room was kept when the block was made; the disk may have filled up since. Memory that is in pieces by now has the
  // home go to another node of the tier, or to a tier behind it.
  base::Status give_place(Block& block);

  // ---- Blocks made before tasks were tracked ----
  bool has_untracked() const noexcept { return !untracked_.empty(); }
  std::size_t untracked_count() const noexcept { return untracked_.size(); }
  // The tasks that might have used these have ended, or count what they use: the blocks can leave.
  void end_untracked() noexcept { end_list(untracked_); }
  void end_counted() noexcept { end_list(counted_); }

 private:
  // Of a tier that caches: what homes take if there is room behind it, or all of it.
  enum class HomePart : std::uint8_t { usual, all };

  void add_adopted(Block& block);
  base::Status no_room(const Block& block) const;
  // By hint.
  TierIndex hinted_tier(const PlacementHint& hint) const noexcept;
  bool settle_as_hinted(Block& block, const PlacementHint& hint);
  bool settle_for_ever(Block& block, const PlacementHint& hint);
  NodeId first_choice(const Block& block, const PlacementHint& hint) noexcept;
  // The usual places.
  bool place_untracked(Block& block, const PlacementHint& hint, base::Status& failure);
  bool settle_without_replica(Block& block, NodeId node, base::Status& failure);
  base::Status find_home(Block& block, const PlacementHint& hint);
  bool settle_behind(Block& block, TierIndex at);
  bool settle_first(Block& block, const PlacementHint& hint);
  // Steps of these.
  bool can_be_used_from(const Block& block, TierIndex tier) const noexcept;
  bool keep_room(Block& block, TierIndex tier, HomePart part);
  bool may_be_home(const Block& block, NodeId node, HomePart part) const noexcept;
  // In tiers with another behind them.
  std::size_t part_of_homes(NodeId node) const noexcept;
  bool settles_between(Block& block);
  void forget_between(Block& block) noexcept;
  void begin_caching_before(TierIndex tier);
  bool move_home_behind(Block& block);
  bool take_place(Block& block);
  bool take_place_elsewhere(Block& block);
  bool drop_cached(NodeId node) noexcept;
  bool settle_in(Block& block, NodeId node);
  bool settle_nearest(Block& block, TierIndex tier);
  void release(Block& block) noexcept;
  std::vector<Block*>& list_of(const Block& block) noexcept {
    return block.tracking == Tracking::counted ? counted_ : untracked_;
  }
  void enlist(Block& block, Tracking tracking);
  void remove_from_list(Block& block) noexcept;
  void end_list(std::vector<Block*>& list) noexcept;
  std::size_t tier_count() const noexcept { return core_.hierarchy().tiers.size(); }
  TierIndex last_tier() const noexcept { return static_cast<TierIndex>(tier_count() - 1); }

  Core& core_;
  Ledger& ledger_;
  Nodes& nodes_;
  std::vector<Block*> untracked_;  // Tracking::untracked
  std::vector<Block*> counted_;    // Tracking::counted
  std::vector<bool> caches_;       // by tier: some block lives behind it, and it holds copies of such
  std::vector<Block*> between_;    // with homes in tiers that may come to cache
};

}  // namespace weir::data::engine
