// SPDX-License-Identifier: Apache-2.0

// BlockAddresses: where tasks find blocks: in the memory of a node, at home in a file's pages, or the program's own.
//
// Part of a store, whose mutex guards what it is called with; find() is for any thread, of a task that has begun.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/result.hpp"
#include "data/block.hpp"
#include "data/engine/engine.hpp"
#include "data/tier_memory.hpp"

namespace weir::data {

class BlockAddresses final : public engine::PlaceListener {
 public:
  // `memory` outlives it.
  explicit BlockAddresses(const TierMemory& memory) noexcept : memory_(memory) {}

  void* find(const engine::Use& use) const noexcept {
    return use.at_home ? at_home(block_of(*use.block)) : memory_.address(use.replica->place);
  }
  // Of all blocks that the engine has put elsewhere.
  void publish(engine::Engine& engine) const noexcept {
    while (engine::Block* const block = engine.take_relocated()) publish(block_of(*block));
  }
  void publish(Block& block) const noexcept;
  // The block has no address until publish() has been called: tasks look into their requests.
  void place_changes(engine::Block& block) noexcept override {
    block_of(block).address.store(nullptr, std::memory_order_relaxed);  // ADMIT-1: before the request is held
  }

  // A task uses the block in its file's pages, which the kernel reads, writes and takes back as it likes: the first
  // maps it, and each touches its pages, without the mutex.
  base::Status map_at_home(Block& block) const;
  base::Status touch_at_home(const Block& block) const;

 private:
  void* at_home(const Block& block) const noexcept;

  const TierMemory& memory_;
};

}  // namespace weir::data
