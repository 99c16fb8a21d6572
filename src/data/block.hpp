// SPDX-License-Identifier: Apache-2.0

// Block: one block of a Store: what the engine knows of it, what tasks read of it, and what the layers above keep with
// it.
//
// Guarded by the lock of the store that owns it, but for `address` (BlockBase says who reads it).
#pragma once

#include "data/engine/block.hpp"
#include "weir/detail/block.hpp"

namespace weir::runtime {
struct State;  // src/runtime/runtime_state.hpp
}

namespace weir::data {

class Store;

// What the layers above name of the engine.
using engine::PlacementHint;
using engine::Request;
using engine::Requester;
using engine::RequestKind;
using engine::RequestState;
using engine::Use;

struct Block final : detail::BlockBase, engine::Block {
  Store* store = nullptr;
  runtime::State* owner =
      nullptr;                  // the runtime whose tasks may name it, which is all it is here; null: that has ended
  std::size_t owned_index = 0;  // there
  std::uint64_t made = 0;       // there: which of the blocks made outside of tasks it is, from 1; 0: none of those
  std::uint64_t named_by = 0;   // likewise: who has named it (runtime/lifetime.hpp)
  // Likewise: the task that made it, null outside of tasks, and whether others than those below that one have named it.
  const detail::Task* maker = nullptr;
  std::uint64_t maker_generation = 0;
  bool named_outside = false;
  bool written_outside = false;  // where checkpoints are made: a task that was spawned outside of tasks writes it
  detail::BlockLayout layout;
  void* program = nullptr;  // adopted memory, in the form of `layout`
  void* mapped = nullptr;   // the home's pages of a file, while tasks use it there
};

// The block behind what the public headers hold.
inline Block& block_of(detail::BlockBase& base) noexcept { return static_cast<Block&>(base); }
inline const Block& block_of(const detail::BlockBase& base) noexcept { return static_cast<const Block&>(base); }
// The block behind what an engine holds that a Store drives: each of those is one.
inline Block& block_of(engine::Block& block) noexcept { return static_cast<Block&>(block); }
inline const Block& block_of(const engine::Block& block) noexcept { return static_cast<const Block&>(block); }

}  // namespace weir::data
