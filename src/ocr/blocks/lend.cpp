// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/lend.hpp"

#include <cstring>
#include <utility>

#include "ocr/blocks/block.hpp"
#include "ocr/blocks/edt_blocks.hpp"
#include "ocr/blocks/holds.hpp"
#include "ocr/mail/reach.hpp"
#include "ocr/observe/checking.hpp"

namespace weir::ocr {

namespace {

// Keeps the contents where they are. False: that needs a wait.
bool hold_in_place(Block& block) noexcept {
  return !block.is_tiered() || block.tier().store->untracked().hold(block.tier());
}
void end_hold_in_place(Block& block) noexcept {
  if (block.is_tiered()) block.tier().store->untracked().release(block.tier());
}
// Of one that is held in place.
std::byte* data_of(const Block& block) noexcept {
  return block.is_tiered() ? address_of(block.tier(), nullptr) : block.small();
}

// The block of a loan, which is held here, so that its memory is its own, destroyed or not.
Block& lent_block(Guid guid) noexcept { return *blocks().find(guid.index()); }

// Held in the mode for lending. Contents that a reader has of this version are those of the block: who writes it gives
// it another one.
LoanMade made_of(Block& block, const Loan& loan) noexcept {
  block.word.lock_held();
  LoanMade made{loan, block.version};
  block.word.unlock();
  if (made.version == loan.known && loan.known != 0) made.as = LentAs::known;
  made.bytes = block.size;
  return made;
}

// Says where the contents are, or puts them in. True: they lie there, and are to be held. `may_lie`: they can.
bool put_contents(LoanMade made, const std::byte* data, bool may_lie, Writer& message) {
  const auto offset = may_lie && !goes_inside(made.bytes) ? Reach::running()->offset_of(data) : std::nullopt;
  made.as = offset ? LentAs::there : LentAs::inside;
  made.offset = offset.value_or(0);
  message.put(made);
  if (!offset) message.put_bytes(std::span(data, made.bytes));
  return offset.has_value();
}

void end_lending(BlockLocal& local, Block& block, std::uint8_t mode) {
  if (!is_to_be_written(mode)) release(local, block, lending_mode(mode));
}

}  // namespace

bool try_lend(BlockLocal& local, const Loan& loan, Writer& message) {
  switch (try_acquire(loan.block, lending_mode(loan.mode))) {
    case Acquired::yes: break;
    case Acquired::waits: return false;
    default: message.put(LoanMade{loan}); return true;
  }
  Block& block = lent_block(loan.block);
  const LoanMade made = made_of(block, loan);
  if (made.as == LentAs::known) {
    message.put(made);
    end_lending(local, block, loan.mode);
    return true;
  }
  if (!hold_in_place(block)) {
    release(local, block, lending_mode(loan.mode));
    return false;
  }
  if (put_contents(made, data_of(block), true, message)) return true;
  end_hold_in_place(block);
  end_lending(local, block, loan.mode);
  return true;
}

void lend_held(BlockLocal& local, const Loan& loan, const std::byte* data, Writer& message) {
  Run& run = *local.current;
  const Holding held = find_held(run, loan.block);
  Block& block = *held.block;
  const checking::Unseen unseen;
  const LoanMade made = made_of(block, loan);
  const bool may_lie = !block.is_tiered() || blocks_of(run.edt) == nullptr;  // no request holds it, but a count
  bool lies = false;
  if (made.as == LentAs::known)
    message.put(made);
  else
    lies = put_contents(made, data, may_lie, message);
  if (!lies && !is_to_be_written(loan.mode)) return release_holding(local, run, held);
  held.slot->state.store(SlotState::released, std::memory_order_relaxed);  // relaxed: the EDT runs here
  if (!lies && block.is_tiered()) end_use(run.edt, block);
}

void end_offer(BlockLocal& local, const Taken& taken) {
  Block& block = lent_block(taken.block);
  end_hold_in_place(block);
  end_lending(local, block, taken.mode);
}

bool try_end_loan(BlockLocal& local, Guid guid, std::span<const std::byte> contents) {
  Block& block = lent_block(guid);
  if (!hold_in_place(block)) return false;
  if (!contents.empty()) std::memcpy(data_of(block), contents.data(), contents.size());
  end_hold_in_place(block);
  release(local, block, DB_MODE_EW);
  return true;
}

u8 end_loan(BlockLocal& local, Guid guid, std::span<const std::byte> contents) {
  Block& block = lent_block(guid);
  std::unique_ptr<Hold> hold;
  if (const u8 code = begin_hold(local, block.tier(), Mode::out, hold)) return code;
  const checking::Unseen unseen;
  std::memcpy(address_of(block.tier(), hold.get()), contents.data(), contents.size());
  end_hold(block.tier(), std::move(hold));
  release(local, block, DB_MODE_EW);
  return 0;
}

}  // namespace weir::ocr
