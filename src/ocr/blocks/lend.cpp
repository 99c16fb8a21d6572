// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/lend.hpp"

#include <cstring>
#include <utility>

#include "ocr/blocks/block.hpp"
#include "ocr/blocks/edt_blocks.hpp"
#include "ocr/blocks/holds.hpp"

namespace weir::ocr {

namespace {

// Keeps a block's contents where they are; none: that needs a wait.
class InPlace {
 public:
  explicit InPlace(Block& block) noexcept
      : block_(block), is_there_(!block.is_tiered() || block.tier().store->untracked().hold(block.tier())) {}
  ~InPlace() {
    if (is_there_ && block_.is_tiered()) block_.tier().store->untracked().release(block_.tier());
  }
  InPlace(const InPlace&) = delete;
  InPlace& operator=(const InPlace&) = delete;

  explicit operator bool() const noexcept { return is_there_; }
  std::byte* data() const noexcept { return block_.is_tiered() ? address_of(block_.tier(), nullptr) : block_.small(); }

 private:
  Block& block_;
  const bool is_there_;
};

// The block of a loan, which is held here, so that its memory is its own, destroyed or not.
Block& lent_block(Guid guid) noexcept { return *blocks().find(guid.index()); }

}  // namespace

Lent try_lend(BlockLocal& local, Guid guid, std::uint8_t mode, Writer& contents) {
  switch (try_acquire(guid, lending_mode(mode))) {
    case Acquired::yes: break;
    case Acquired::waits: return Lent::later;
    default: return Lent::no_such_block;
  }
  Block& block = lent_block(guid);
  bool is_lent = false;
  if (const InPlace place(block); place) {
    contents.put_bytes(std::span(place.data(), block.size));
    is_lent = true;
  }
  if (!is_lent || !is_to_be_written(mode)) release(local, block, lending_mode(mode));
  return is_lent ? Lent::yes : Lent::later;
}

void begin_loan(BlockLocal& local, Guid guid) {
  Run& run = *local.current;
  const Holding held = find_held(run, guid);
  if (!is_to_be_written(held.slot->mode)) return release_holding(local, run, held);
  held.slot->state.store(SlotState::released, std::memory_order_relaxed);
  if (held.block->is_tiered()) end_use(run.edt, *held.block);
}

bool try_end_loan(BlockLocal& local, Guid guid, std::span<const std::byte> contents) {
  Block& block = lent_block(guid);
  {
    const InPlace place(block);
    if (!place) return false;
    if (!contents.empty()) std::memcpy(place.data(), contents.data(), contents.size());
  }
  release(local, block, DB_MODE_EW);
  return true;
}

u8 end_loan(BlockLocal& local, Guid guid, std::span<const std::byte> contents) {
  Block& block = lent_block(guid);
  std::unique_ptr<Hold> hold;
  if (const u8 code = begin_hold(local, block.tier(), Mode::out, hold)) return code;
  std::memcpy(address_of(block.tier(), hold.get()), contents.data(), contents.size());
  end_hold(block.tier(), std::move(hold));
  release(local, block, DB_MODE_EW);
  return 0;
}

}  // namespace weir::ocr
