// SPDX-License-Identifier: Apache-2.0

// Block: what the engine knows of one block: its home, its replicas, and the tasks that will use it.
//
// Owned by whoever made it (data::Block); guarded by the lock of whoever drives the engine, but for `holds`.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/ids.hpp"
#include "data/engine/place.hpp"
#include "data/engine/replica.hpp"
#include "data/engine/request.hpp"

namespace weir::data::engine {

// Where a block's contents are when they are in no replica.
struct Home {
  enum class Kind : std::uint8_t {
    none,     // no place yet: room in `tier` is kept for it
    memory,   // of a node, at `place`
    file,     // of `tier`, at `place`
    program,  // adopted memory, in the form of the block's layout
  };
  Kind kind = Kind::none;
  bool in_place = false;  // tasks always use it where it is: it never has a replica
  bool current = false;   // holds what was last written
  TierIndex tier = TierIndex::none;
  Place place;
};

// What the maker of a block asks for in addition to the mode of allocation. It is followed where there is room.
struct PlacementHint {
  enum class Tier : std::uint8_t {
    usual,   // as the mode has it
    fast,    // the first tier, also under a mode that brings blocks to ordinary memory
    middle,  // the second, for ever, if tasks can use it in place
    slow,    // the last, for ever, if tasks can use it in place; else its home is there
  };
  Tier tier = Tier::usual;
  bool near_domain = false;   // of a tier's nodes the one nearest to the block's domain, whatever the mode
  bool pinned = false;        // in memory, at one address for ever
  bool counts_holds = false;  // tasks without requests say of each block when they use it (hold_ended())
};

// How tasks that have no requests use it.
enum class Tracking : std::uint8_t {
  requests,   // not at all: by requests, and by counted holds
  untracked,  // any task may: it stays where it is until these have ended
  counted,    // those that do are counted in `holds`; made before tasks were tracked
};

struct Block {
  static constexpr std::uint64_t kNoDescent = ~std::uint64_t{0};
  static constexpr std::uint32_t kNotBetween = ~std::uint32_t{0};

  std::string name;
  std::size_t size = 0;    // bytes of contents
  std::size_t charge = 0;  // what a replica takes of a node
  Home home;
  DomainId domain{};          // where it was made
  bool written = false;       // has contents: a task that reads it needs them
  bool fetch_failed = false;  // the last fetch: not tried again before a task is ready that needs it
  bool counts_holds = false;  // PlacementHint::counts_holds
  bool relocated = false;     // in the engine's list of those whose only place has changed
  Tracking tracking = Tracking::requests;
  std::size_t listed_index = 0;               // in the list of those with the same `tracking`
  std::atomic<std::uint32_t> holds{0};        // HOLD-1: by tasks without requests; changed by them
  std::uint32_t scheduled = 0;                // uses by ready tasks that have not ended
  std::uint32_t home_uses = 0;                // of those the ones that use it at home
  std::uint32_t between_index = kNotBetween;  // in the list of those whose homes may have to go to a slower tier
  std::uint64_t last_use = 0;
  std::uint64_t last_descent = kNoDescent;  // Core::tick when it last went to a tier before its home
  std::uint64_t trace_id = 0;
  Replica* replicas = nullptr;
  Use* first_use = nullptr;  // by unfinished tasks, in the order of spawning
  Use* last_queued = nullptr;
  Block* next_relocated = nullptr;

  Block() = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  policy::Sequence next_use() const noexcept {
    return first_use != nullptr ? first_use->request->sequence : policy::kNever;
  }
  // A task without a request may be using it.
  bool is_held() const noexcept {
    return tracking == Tracking::untracked || holds.load(std::memory_order_seq_cst) != 0;  // HOLD-1
  }
  bool is_used_at_home() const noexcept { return home.in_place || home_uses != 0; }
  bool has(ReplicaState state) const noexcept {
    const Replica* r = replicas;
    while (r != nullptr && r->state != state) r = r->next;
    return r != nullptr;
  }
  bool in_transfer() const noexcept { return has(ReplicaState::filling) || has(ReplicaState::draining); }
};

}  // namespace weir::data::engine
