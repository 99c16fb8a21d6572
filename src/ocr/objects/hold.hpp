// SPDX-License-Identifier: Apache-2.0

// Hold, Pin and WaitedHold: what keeps a block in its place for a thread, outside of an EDT's dependences.
// blocks/holds.hpp and blocks/block.hpp make and end them; the objects here only have them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "ocr/objects/guid.hpp"
#include "runtime/blocks.hpp"

namespace weir::ocr {

struct Block;
struct ProgramLocal;
class Tiers;

// What keeps one block in place for a thread that waited until it was.
struct Hold final : data::Requester {
  explicit Hold(Tiers& of) noexcept : tiers(of) {}
  void staged(data::Request& request) noexcept override;  // blocks/holds.cpp

  Tiers& tiers;
  data::Request request;
  bool done = false;                         // guarded by Tiers::waiting_mutex
  std::vector<data::engine::Block*> others;  // while it waits: what its EDT holds besides
  std::unique_ptr<std::byte[]> scratch;      // instead: the program ended before there was room, and the EDT runs on
};

// A block that is in place for a thread outside of EDTs, which has waited for it, or made it. It counts in
// Block::named.
struct Pin {
  Block* block;
  Guid guid;
  std::unique_ptr<Hold> hold;  // null: counted by the store
  const ProgramLocal* thread;  // that asked for it
};

// A block that an EDT holds in mode RW since it waited for it, while another EDT is the one that Block::creator names.
struct WaitedHold {
  Block* block;
  std::unique_ptr<Hold> hold;  // null: it is small, or counted by the store
};

}  // namespace weir::ocr
