// SPDX-License-Identifier: Apache-2.0

// Replica: the copy of a block in one arena of the fast tier.
//
// Owned by the Residency and guarded by its store's lock; a replica never moves while it lives. At most one transfer is
// under way for it at a time, and the copier works on its memory without the lock: filling and draining replicas are
// left alone until they land.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/snapshot.hpp"
#include "data/tiers.hpp"

namespace weir::data {

struct Block;
struct Replica;
struct Use;

enum class ReplicaState : std::uint8_t {
  absent,    // no memory held in this arena
  filling,   // memory held, its contents under way; not readable
  clean,     // readable, and the contents are elsewhere, too: may be dropped at no cost
  dirty,     // readable, newer than every other copy: must be written back before it is dropped
  draining,  // being written back; readable, not writable
};

constexpr bool may_follow(ReplicaState from, ReplicaState to) noexcept {
  using enum ReplicaState;
  switch (from) {
    case absent: return to == filling;
    case filling: return to == clean || to == absent;  // absent: the copy failed
    case clean: return to == dirty || to == absent;
    case dirty: return to == draining;
    case draining: return to == clean || to == dirty;  // dirty: it could not be written
  }
  return false;
}
static_assert(!may_follow(ReplicaState::dirty, ReplicaState::absent), "never lose the only copy");

// What a copier has to do: from where to where follows from the replica, its block and its source.
struct Transfer {
  enum class Kind : std::uint8_t { fetch, write_back };
  Kind kind = Kind::fetch;
  bool ahead = false;  // for a task that is not ready
  int lane = 0;        // of the task that needs it
  Replica* replica = nullptr;
  Replica* source = nullptr;  // fetch: another replica, pinned meanwhile; null: the block's home
  Transfer* next = nullptr;
  std::uint64_t started = 0;  // platform::ticks(), by the copier
};

struct Replica {
  Block* block = nullptr;
  Arena* arena = nullptr;
  std::uint64_t offset = 0;  // in the arena
  void* address = nullptr;   // the same, where the processor can address it
  ReplicaState state = ReplicaState::absent;
  bool leaving = false;       // draining: to be dropped when it lands, unless somebody has pinned it
  bool write_failed = false;  // the last write back failed: stays until a waiting task has failed because of it
  bool blank = false;         // a task that writes all of it has not run yet; there are contents elsewhere
  bool stale = false;         // written elsewhere while its transfer was under way
  bool early = false;         // brought in for a task that was not admitted, and not used since
  bool candidate = false;     // in the arena's set of what could leave
  std::uint32_t pins = 0;     // unfinished uses that count on its place, and transfers that read it
  Use* landing = nullptr;     // uses that wait for the transfer under way
  policy::Candidate key;      // as it is in that set
  Transfer transfer;
  Replica* next = nullptr;  // of the same block, or in the list of free ones
};

// Ends the process on a step that the state machine does not have.
void change_state(Replica& replica, ReplicaState to) noexcept;

}  // namespace weir::data
