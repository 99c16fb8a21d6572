// SPDX-License-Identifier: Apache-2.0

// Block: what the library knows of one block; the part that tasks read is weir::detail::BlockBase.
//
// Guarded by the lock of the store that owns it, but for `address` (BlockBase says who reads it).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "data/extents.hpp"
#include "data/replica.hpp"
#include "data/request.hpp"
#include "weir/detail/block.hpp"

namespace weir::data {

class Store;

// Where a block's contents are when they are in no replica.
struct Home {
  enum class Kind : std::uint8_t {
    none,     // no place yet: room in `tier` is kept for it
    arena,    // memory of `arena` at `address`
    file,     // `extent` of the file of `tier`; mapped at `address` while tasks use it in place
    program,  // adopted memory at `address`, in the form of the block's layout
  };
  Kind kind = Kind::none;
  bool in_place = false;  // tasks always use it where it is: it never has a replica
  bool current = false;   // holds what was last written
  int tier = -1;          // index; -1: the program's memory
  Arena* arena = nullptr;
  void* address = nullptr;
  Extent extent;
};

// What whoever makes a block asks for beside the mode of allocation. It is followed as far as there is room.
struct Wish {
  enum class Tier : std::uint8_t {
    usual,   // as the mode has it
    fast,    // the first tier, also under a mode that brings blocks to ordinary memory
    middle,  // the second, for ever, if tasks can use it in place
    slow,    // the last, for ever, if tasks can use it in place; else its home is there
  };
  Tier tier = Tier::usual;
  bool beside_domain = false;  // of a tier's nodes the one nearest to the block's domain, whatever the mode
  bool stays = false;          // in memory, at one address for ever
  bool counts_holds = false;   // tasks without requests say of each block when they use it: Store::hold()
};

struct Block final : detail::BlockBase {
  Store* store = nullptr;
  const void* owner = nullptr;  // whose tasks may name it, for the layer above; null: whoever that was has ended
  std::size_t owned_index = 0;  // there
  std::uint64_t named_by = 0;   // likewise: who has named it (runtime/lifetime.hpp)
  // Likewise: the task that made it, null outside of tasks, and whether others than those below that one have named it.
  const void* maker = nullptr;
  std::uint64_t maker_generation = 0;
  bool named_outside = false;
  std::string name;
  detail::BlockLayout layout;
  std::size_t charge = 0;  // what a replica takes of an arena
  Home home;
  int domain = 0;                       // of the machine: where it was made
  bool written = false;                 // has contents: a task that reads it needs them
  bool fetch_failed = false;            // the last fetch: not tried again before a task is ready that needs it
  bool untracked = false;               // tasks that are not tracked may use its replica
  bool counts_holds = false;            // which of them do is in `holds`
  bool listed = false;                  // in one of the Residency's lists of blocks made before tasks were tracked
  std::size_t listed_index = 0;         // there
  std::atomic<std::uint32_t> holds{0};  // HOLD-1: by tasks without requests; changed by them
  std::uint32_t scheduled = 0;          // uses by ready tasks that have not ended
  std::uint32_t home_uses = 0;          // of those the ones that use it at home
  std::uint64_t last_use = 0;
  std::uint64_t trace_id = 0;
  Replica* replicas = nullptr;
  Use* first_use = nullptr;  // by unfinished tasks, in the order of spawning
  Use* last_queued = nullptr;

  policy::Sequence next_use() const noexcept {
    return first_use != nullptr ? first_use->request->sequence : policy::kNever;
  }
};

// The block behind what the public headers hold.
inline Block& block_of(detail::BlockBase& base) noexcept { return static_cast<Block&>(base); }
inline const Block& block_of(const detail::BlockBase& base) noexcept { return static_cast<const Block&>(base); }

}  // namespace weir::data
