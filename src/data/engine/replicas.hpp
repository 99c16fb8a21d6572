// SPDX-License-Identifier: Apache-2.0

// Replicas: the copies of blocks in all nodes, and for each node the order in which those that no task uses leave it.
//
// Books and states; what moves and for whom is decided above. Under the lock of whoever drives the engine.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "data/engine/block.hpp"
#include "data/engine/ledger.hpp"
#include "data/engine/replica.hpp"

namespace weir::data::engine {

// Whoever tells tasks where blocks are.
class PlaceListener {
 public:
  // The block's only place changes, for which take_relocated() will give the block: what was told of it holds no more.
  // Called before a request that counts on the new place is held: its task may begin at once.
  virtual void place_changes(Block& block) noexcept = 0;

 protected:
  ~PlaceListener() = default;
};

class Replicas {
 public:
  struct LeavesBefore {
    Evict rule = Evict::next_use;
    bool operator()(const Replica* a, const Replica* b) const noexcept;
  };
  using LeavingOrder = std::set<Replica*, LeavesBefore>;

  // `chain`: replicas of one block may be in several tiers.
  Replicas(Ledger& ledger, Evict rule, bool chain);

  // In room that was taken for it: filling. Throws std::bad_alloc.
  Replica& make(Block& block, Place place);
  // Out of its node, at no cost: it is clean, or absent since its copy failed.
  void drop(Replica& replica) noexcept;
  // The same for one that no task uses and whose contents no task needs any more.
  void discard(Replica& replica) noexcept;
  // Other replicas of the block hold what was there before `keep` (null: the home) was written: gone, or stale.
  void forget_others(Block& block, const Replica* keep) noexcept;

  // ---- Which could leave ----
  // Something that decides it, or the order, has changed: the replica's state or pins, the block's next use, its holds.
  void update(Replica& replica) noexcept;
  void update_all(Block& block) noexcept {
    for (Replica* r = block.replicas; r != nullptr; r = r->next) update(*r);
  }
  // The same where one of several replicas came or went.
  void update_copies(Block& block) noexcept {
    if (block.replicas != nullptr && chain_) [[unlikely]]
      update_all(block);
  }
  void withdraw(Replica& replica) noexcept;  // it cannot
  const LeavingOrder& leaving_order(NodeId node) const noexcept { return at(node).order; }
  std::size_t leavable_bytes(NodeId node) const noexcept { return at(node).bytes; }
  // Being written back: where it lies there will be a free range as large as wanted. One at a time; null: none.
  const Replica* coming_hole(NodeId node) const noexcept { return at(node).hole; }
  void set_coming_hole(NodeId node, const Replica* replica) noexcept { at(node).hole = replica; }

  // ---- Whose contents could not be written ----
  // It stays until try_writing_again().
  void set_unwritable(Replica& replica);
  void set_writable(Replica& replica) noexcept;
  void try_writing_again() noexcept;

  // ---- Brought in early ----
  std::size_t early_bytes() const noexcept { return early_bytes_; }
  void set_early(Replica& replica) noexcept;
  // It is used, or gone.
  void end_early(Replica& replica) noexcept;

  // ---- Where blocks are ----
  // Where every task that uses the block finds it; none while there are several such places, or none.
  static std::optional<Place> only_place(const Block& block) noexcept;
  // That may have changed.
  void note_place(Block& block) noexcept;
  // The next block of which it has since the last call; null: no more.
  Block* take_relocated() noexcept;
  // The block goes away.
  void forget_relocated(Block& block) noexcept;
  // Null: nobody tells.
  void set_listener(PlaceListener* listener) noexcept { listener_ = listener; }

 private:
  struct Leaving {
    LeavingOrder order;
    std::size_t bytes = 0;  // charges of those in it
    const Replica* hole = nullptr;
  };
  Leaving& at(NodeId node) noexcept { return leaving_[index_of(node)]; }
  const Leaving& at(NodeId node) const noexcept { return leaving_[index_of(node)]; }
  Replica& take_free();
  policy::Candidate key_of(const Replica& replica) const noexcept;

  Ledger& ledger_;
  const bool chain_;
  std::vector<Leaving> leaving_;  // by node
  std::vector<Replica*> unwritable_;
  std::size_t early_bytes_ = 0;
  Block* relocated_ = nullptr;
  PlaceListener* listener_ = nullptr;
  std::uint64_t made_ = 0;
  Replica* free_ = nullptr;
  std::vector<std::unique_ptr<Replica[]>> pool_;
};

}  // namespace weir::data::engine
