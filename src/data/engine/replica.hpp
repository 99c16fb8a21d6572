// SPDX-License-Identifier: Apache-2.0

// Replica: the copy of a block in the memory of one node.
//
// Owned by Replicas (replicas.hpp); it never moves while it lives. At most one transfer is under way for it at a time,
// and the copier works on its memory without the lock: filling and draining replicas are left alone until they land.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/engine/place.hpp"
#include "data/snapshot.hpp"

namespace weir::data::engine {

struct Block;
struct Replica;
struct Use;

enum class ReplicaState : std::uint8_t {
  absent,    // no memory held
  filling,   // memory held, its contents under way; not readable
  clean,     // readable, and the contents are elsewhere, too: may be dropped at no cost
  dirty,     // readable, newer than every other copy: must be written back before it is dropped
  draining,  // being written to the home, or to a slower tier; readable, not writable
};

constexpr bool may_follow(ReplicaState from, ReplicaState to) noexcept {
  using enum ReplicaState;
  switch (from) {
    case absent: return to == filling;
    case filling: return to == clean || to == absent;  // absent: the copy failed
    case clean: return to == dirty || to == draining || to == absent;
    case dirty: return to == draining;
    case draining: return to == clean || to == dirty;  // dirty: it could not be written
  }
  return false;
}
static_assert(!may_follow(ReplicaState::dirty, ReplicaState::absent), "never lose the only copy");

// What a copier has to do: from where to where follows from the replica, its block and the other end.
struct Transfer {
  enum class Kind : std::uint8_t { fetch, write_back };
  Kind kind = Kind::fetch;
  bool ahead = false;  // for a task that is not ready
  int lane = 0;        // of the task that needs it
  Replica* replica = nullptr;
  // Another replica: where fetch reads, pinned until it lands; where write_back writes, in a slower tier, filling.
  // Null: the block's home.
  Replica* other = nullptr;
  Transfer* next = nullptr;
  std::uint64_t started = 0;  // by the copier's clock
};

struct Replica {
  Block* block = nullptr;
  Place place;
  ReplicaState state = ReplicaState::absent;
  bool leaving = false;       // draining: dropped when it lands, unless a task has pinned it
  bool write_failed = false;  // the last write back failed: it stays until a waiting task has failed because of it
  bool blank = false;         // a task that writes all of it has not run yet; there are contents elsewhere
  bool was_dirty = false;     // draining to a slower tier: it was dirty before
  bool stale = false;         // written elsewhere while its transfer was under way
  bool early = false;         // brought in for a task that was not admitted, and not used since
  bool candidate = false;     // in the node's order of those that could leave
  std::uint32_t pins = 0;     // unfinished uses that count on its place, and transfers that read it
  std::uint64_t made = 0;     // which one it was, of all of them
  Use* landing = nullptr;     // uses that wait for the transfer under way
  policy::Candidate key;      // as it is in that order
  Transfer transfer;
  Replica* next = nullptr;  // of the same block, or in the list of free ones

  bool is_idle() const noexcept { return state == ReplicaState::clean || state == ReplicaState::dirty; }
};

// Ends the process on a step that the state machine does not have.
void change_state(Replica& replica, ReplicaState to) noexcept;

}  // namespace weir::data::engine
