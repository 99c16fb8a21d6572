// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/block.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include "ocr/blocks/block_heap.hpp"
#include "ocr/blocks/block_hint.hpp"
#include "ocr/blocks/copies.hpp"
#include "ocr/blocks/dispose.hpp"
#include "ocr/blocks/edt_blocks.hpp"
#include "ocr/blocks/holds.hpp"
#include "ocr/blocks/lending_mode.hpp"
#include "ocr/mail/mail.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/objects/label.hpp"
#include "ocr/observe/checking.hpp"
#include "ocr/observe/complain.hpp"
#include "ocr/observe/tracing.hpp"

namespace weir::ocr {

namespace {

// Under the lock: whether an EDT may hold it in that mode at the same time as those that do.
bool admits(const Block& block, std::uint8_t mode) noexcept {
  if (block.strong == 0) return true;
  if (block.strong_mode == DB_MODE_EW) return false;
  return mode == DB_MODE_RO || mode == block.strong_mode;
}

void hold(Block& block, std::uint8_t mode) noexcept {
  if (mode == DB_MODE_RO) {
    ++block.weak;
    return;
  }
  ++block.strong;
  block.strong_mode = mode;
}

std::uint8_t mode_of(const sched::Task& task) noexcept { return Edt::of(task).body().waiting_mode; }

void enqueue(Block& block, sched::Task& task) noexcept {
  task.next = nullptr;
  (block.first_waiting == nullptr ? block.first_waiting : block.last_waiting->next) = &task;
  block.last_waiting = &task;
}

// Nothing holds it in a strong mode: which one is served next, or RO when only that is waited for.
std::uint8_t next_mode(const Block& block) noexcept {
  unsigned seen = 0;
  for (const sched::Task* t = block.first_waiting; t != nullptr; t = t->next) seen |= mode_of(*t);
  for (const unsigned mode : {DB_MODE_RW, DB_MODE_EW, DB_MODE_CONST})
    if ((seen & mode) != 0) return static_cast<std::uint8_t>(mode);
  return DB_MODE_RO;
}

// Takes those out of the queue that can hold it now; they do.
sched::Task* serve(Block& block) noexcept {
  const std::uint8_t mode = next_mode(block);
  sched::Task *granted = nullptr, *last_granted = nullptr, *last = nullptr;
  for (sched::Task** at = &block.first_waiting; *at != nullptr;) {
    sched::Task& task = **at;
    const std::uint8_t wanted = mode_of(task);
    const bool compatible = wanted == mode || (wanted == DB_MODE_RO && mode != DB_MODE_EW);
    if (!compatible || (block.strong != 0 && !admits(block, wanted))) {
      last = &task;
      at = &task.next;
      continue;
    }
    *at = task.next;
    hold(block, wanted);
    task.next = nullptr;
    (granted == nullptr ? granted : last_granted->next) = &task;
    last_granted = &task;
  }
  block.last_waiting = last;
  return granted;
}

void list_created(Run& creator, Block& block, bool is_new) noexcept {
  block.creator = &creator.edt;
  block.created_before = nullptr;
  block.created_next = creator.created;
  if (creator.created != nullptr) creator.created->created_before = &block;
  creator.created = &block;
  if (checking::active()) [[unlikely]]
    checking::held(block, is_new);
}

void unlist_created(Run& creator, Block& block) noexcept {
  (block.created_before == nullptr ? creator.created : block.created_before->created_next) = block.created_next;
  if (block.created_next != nullptr) block.created_next->created_before = block.created_before;
  block.creator = nullptr;
  if (checking::active()) [[unlikely]]
    checking::released(block);
}

// What make_memory() gives, as Block::memory; 0 when there is none.
std::uintptr_t make_memory(BlockLocal& local, const BlockRequest& request, const Place& place, PoolId pool) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 48;  // no processor has addresses for more
  const std::uint64_t bytes = request.size;
  if (bytes > kMost) [[unlikely]]
    return 0;
  if (checking::active()) [[unlikely]]
    return reinterpret_cast<std::uintptr_t>(checking::allocate_block(local, bytes));
  if (bytes <= BlockPools::kLargest && request.shares_slab)
    return reinterpret_cast<std::uintptr_t>(local.memory.allocate(bytes, pool));
  data::Block* const made = local.tiers.make(bytes, place, lasting_name_of(local.maker()));
  return made == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(made) | Block::kTiered;
}

// A block that its creator holds in the sense of OCR is brought into place; the creator waits for that. 0 or a code.
u8 bring_created(BlockLocal& local, Block& block, std::byte*& data) {
  if (local.current == nullptr) return pin(local, block, Mode::out, data);
  const u8 code = begin_hold(local, block.tier(), Mode::out, block.hold);
  if (code == 0) data = address_of(block.tier(), block.hold.get());
  return code;
}

// It could not be brought in: nothing ever sees it.
void abandon_created(BlockLocal& local, Block& block) {
  block.word.lock_held();
  block.word.kill();
  if (block.creator != nullptr) {
    unlist_created(*local.current, block);
    --block.strong;
  }
  unlock_or_dispose(local, block);
}

// ---- Labels ----

// The label's block is dead until it has memory: nothing finds it, and no other thread makes one.
bool try_claim(Block& block, Guid label) noexcept {
  if (!block.word.try_lock_dead(label)) return false;
  const bool is_free = !is_used_still(block);
  if (is_free) {
    block.strong = 1;
    block.memory = 0;
  }
  block.word.unlock();
  return is_free;
}

// Another thread has the label and looks for memory: in a moment there is a block, or the label is free.
bool is_sought(Block& block) noexcept {
  block.word.lock_held();
  const bool it_is = !block.word.alive() && block.memory == 0 && block.strong != 0;
  block.word.unlock();
  return it_is;
}

// Before there is memory for it: who finds the label taken, or waits for it, needs none. 0 or a code.
[[gnu::noinline]] u8 claim_label(BlockLocal& local, Guid label, std::uint16_t properties, Block*& block) {
  const bool may_have = local.restores || (label.is_label() && is_reserved(label));
  if (label.kind() != Kind::block || !may_have) return OCR_EINVAL;
  Block& labelled = blocks().at(label.index());
  block = &labelled;
  const auto try_it = [&labelled, label] { return try_claim(labelled, label); };
  bool is_claimed = try_it();
  while (!is_claimed && is_sought(labelled)) {
    if (local.performs) return OCR_EAGAIN;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    is_claimed = try_it();
  }
  if (!is_claimed) {
    if (const u8 code = wait_while_kept(local, labelled, try_it, is_claimed)) return code;
  }
  return is_claimed ? u8{0} : wait_for_label(local, label, properties, try_it);
}

[[gnu::noinline]] void give_up_claim(BlockLocal& local, Block& block, Guid label) noexcept {
  block.word.lock_held();
  block.strong = 0;
  block.word.unlock();
  if (label.is_label()) label_left(local, label);
}

// Alive, and locked until object_made().
void revive_claimed(Block& block) noexcept {
  block.word.lock_held();
  block.word.revive();
}

}  // namespace

u8 create_block(BlockLocal& local, Guid& guid, const BlockRequest& request, std::byte*& data) {
  Block* block = nullptr;
  if ((request.properties & GUID_PROP_IS_LABELED) != 0) [[unlikely]] {
    if (const u8 code = claim_label(local, guid, request.properties, block)) return code;
  }
  Place place{local.worker->domain(), {}};
  PoolId pool = local.pool;
  if (request.hint != nullptr) [[unlikely]] {
    place = place_of_hint(local, *request.hint);
    pool = Tiers::pool_of(place);
  }
  place.hint.counts_holds = true;
  place.hint.pinned = request.stays;
  const std::uintptr_t memory = make_memory(local, request, place, pool);
  if (memory == 0) [[unlikely]] {
    if (block != nullptr) give_up_claim(local, *block, guid);
    return OCR_ENOMEM;
  }
  if (block == nullptr) [[likely]]
    static_cast<void>(make_object(local, blocks(), local.blocks, Kind::block, GUID_PROP_NONE, guid, block));
  else
    revive_claimed(*block);
  block->memory = memory;
  block->note_written();
  block->pool = pool;
  block->size = request.size;
  const bool acquired = (request.properties & DB_PROP_NO_ACQUIRE) == 0;
  const bool held = acquired && local.current != nullptr;
  block->strong = held ? 1 : 0;
  block->strong_mode = DB_MODE_RW;
  block->weak = block->named = 0;
  block->no_hint = (request.properties & DB_PROP_NO_HINT) != 0;
  block->fetch = Block::Fetch::usual;
  block->is_copy = block->keeps_contents = false;
  block->pinned_outside.store(false, std::memory_order_relaxed);  // relaxed: the block is being made
  block->domain = static_cast<std::uint16_t>(place.domain);
  block->first_waiting = block->last_waiting = nullptr;
  block->creator = nullptr;
  block->maker = local.maker();
  block->heap = request.heap ? new BlockHeap(request.size) : nullptr;
  block->hint = nullptr;
  if (request.hint != nullptr) [[unlikely]]
    apply_hint(*block, *request.hint);
  const bool tiered = (memory & Block::kTiered) != 0;
  data = acquired && !tiered ? reinterpret_cast<std::byte*>(memory) : nullptr;
  if (held) list_created(*local.current, *block, true);
  if (request.is_lent) [[unlikely]]
    hold(*block, lending_mode(DB_MODE_RW));
  if (local.worker->track() != nullptr) [[unlikely]]
    trace_block_made(local, *block);
  object_made(local, *block, guid);
  if (!acquired || !tiered) [[likely]]
    return 0;
  const u8 code = bring_created(local, *block, data);
  if (code == 0) return 0;
  abandon_created(local, *block);
  guid = {};
  return code;
}

Acquired try_acquire(Guid guid, std::uint8_t mode) {
  Block* const block = lock_object(blocks(), Kind::block, guid);
  if (block == nullptr) return Acquired::no_such_block;
  const bool admitted = admits(*block, mode);
  if (admitted) hold(*block, mode);
  block->word.unlock();
  return admitted ? Acquired::yes : Acquired::waits;
}

Acquired acquire(const BlockLocal& local, Edt& edt, std::uint8_t mode, Block*& found) {
  Block* const block = found = lock_object(blocks(), Kind::block, edt.body().acquired);
  if (block == nullptr) return Acquired::no_such_block;
  const bool admitted = admits(*block, mode);
  if (admitted) {
    hold(*block, mode);
  } else {
    edt.body().waiting_mode = mode;
    if (local.worker->track() != nullptr) [[unlikely]]
      trace_block_wait(edt);
    enqueue(*block, edt.task());
  }
  block->word.unlock();
  return admitted ? Acquired::yes : Acquired::waits;
}

void release_locked(BlockLocal& local, Block& block, std::uint8_t mode) {
  if (is_to_be_written(mode)) block.note_written();
  sched::Task* granted = nullptr;
  if (mode == DB_MODE_RO) {
    --block.weak;
  } else if (--block.strong == 0 && block.first_waiting != nullptr) {
    granted = serve(block);
  }
  unlock_or_dispose(local, block);
  while (granted != nullptr) {
    sched::Task& task = *std::exchange(granted, granted->next);
    local.on_granted(Edt::of(task), block);
  }
}

void release(BlockLocal& local, Block& block, std::uint8_t mode) {
  if (block.is_copy) [[unlikely]]
    return end_copy(local, block, mode);
  block.word.lock_held();
  release_locked(local, block, mode);
}

namespace {

// Another EDT is the one that Block::creator names. 0 or OCR_ENOMEM.
u8 list_waited(Run& run, Block& block, std::unique_ptr<Hold>& hold) noexcept {
  try {
    std::vector<WaitedHold>& waited = run.make_extra().waited;
    waited.reserve(waited.size() + 1);
    waited.push_back({&block, std::move(hold)});
  } catch (const std::bad_alloc&) {
    return OCR_ENOMEM;
  }
  if (checking::active()) [[unlikely]]
    checking::held(block, false);
  return 0;
}

// The running EDT has the hold in mode RW, and what keeps the block in place for it.
u8 list_hold(BlockLocal& local, Block& block, std::unique_ptr<Hold> hold) noexcept {
  Run& run = *local.current;
  block.word.lock_held();
  const bool is_named = block.creator == nullptr;
  if (is_named) {
    list_created(run, block, false);
    block.hold = std::move(hold);
  }
  block.word.unlock();
  if (is_named) return 0;
  const u8 code = list_waited(run, block, hold);
  if (code != 0 && block.is_tiered()) end_hold(block.tier(), std::move(hold));
  return code;
}

}  // namespace

u8 take_over_hold(BlockLocal& local, Block& block, std::byte*& data) {
  std::unique_ptr<Hold> hold;
  const Hold* in_place = nullptr;
  u8 code = 0;
  if (block.is_tiered()) code = begin_hold(local, block.tier(), Mode::concurrent, hold);
  if (code == 0) {
    in_place = hold.get();
    code = list_hold(local, block, std::move(hold));
  }
  if (code != 0) {
    release(local, block, DB_MODE_RW);
    return code;
  }
  data = block.is_tiered() ? address_of(block.tier(), in_place) : block.small();
  return 0;
}

u8 hold_for_running(BlockLocal& local, Guid guid, Block*& block, std::byte*& data) {
  Run& run = *local.current;
  block = find_held(run, guid).block;
  if (block != nullptr) {
    data = address_in(run, *block);
    return 0;
  }
  block = lock_object(blocks(), Kind::block, guid);
  if (block == nullptr) return 0;
  const bool is_admitted = admits(*block, DB_MODE_RW);
  const bool is_listed = is_admitted && !block->is_tiered() && block->creator == nullptr;
  if (is_admitted) hold(*block, DB_MODE_RW);
  if (is_listed) list_created(run, *block, false);
  block->word.unlock();
  if (!is_admitted) return OCR_EAGAIN;
  if (!is_listed) return take_over_hold(local, *block, data);
  data = block->small();
  return 0;
}

void hold_copy(Run& run, Block& copy, bool is_new) noexcept { list_created(run, copy, is_new); }

namespace {

// False: it is none of those.
bool release_waited(BlockLocal& local, Run& run, Block& block) {
  if (run.extra == nullptr) return false;
  std::vector<WaitedHold>& waited = run.extra->waited;
  const auto found = std::find_if(waited.begin(), waited.end(), [&](const WaitedHold& w) { return w.block == &block; });
  if (found == waited.end()) return false;
  std::unique_ptr<Hold> hold = std::move(found->hold);
  waited.erase(found);
  if (checking::active()) [[unlikely]]
    checking::released(block);
  if (block.is_tiered()) end_hold(block.tier(), std::move(hold));
  release(local, block, DB_MODE_RW);
  return true;
}

}  // namespace

void release_waited(BlockLocal& local, Run& run) {
  while (!run.extra->waited.empty()) release_waited(local, run, *run.extra->waited.back().block);
}

// Under the lock it leaves the list: another EDT that waits for it may be the one that it names next.
void release_created(BlockLocal& local, Run& run, Block& block) {
  if (block.is_copy) [[unlikely]] {
    unlist_created(run, block);
    return end_copy(local, block, DB_MODE_RW);
  }
  if (block.is_tiered()) [[unlikely]]
    end_hold(block.tier(), std::move(block.hold));
  block.word.lock_held();
  unlist_created(run, block);
  release_locked(local, block, DB_MODE_RW);
}

namespace {

u8 destroy_far_block(BlockLocal& local, Guid guid) {
  if (local.current != nullptr) {
    const Holding held = find_held(*local.current, guid);
    if (held.block != nullptr) release_holding(local, *local.current, held);
  }
  forget_contents(guid);
  return Mail::running()->ask(home_of(guid), Say::destroy, Writer().put(guid)).code;
}

}  // namespace

u8 destroy_block(BlockLocal& local, Guid guid) {
  Block* const block = lock_object(blocks(), Kind::block, guid);
  if (block == nullptr) {
    // Destroyed, and still held: the index knows.
    if (guid.kind() != Kind::block) return OCR_EINVAL;
    if (is_far(guid)) return destroy_far_block(local, guid);
    const Block* const dead = blocks().find(guid.index());
    return dead != nullptr && dead->memory.seen() != 0 && dead->guid() == guid ? OCR_EPERM : OCR_EINVAL;
  }
  if (block->creator != nullptr && local.current != nullptr && block->creator == &local.current->edt &&
      block->first_waiting == nullptr && !block->is_tiered()) {
    unlist_created(*local.current, *block);
    --block->strong;
    if (is_unused(*block)) [[likely]]
      dispose(local, *block);
    else
      block->word.kill_and_unlock(Kind::block);
    return 0;
  }
  block->word.kill();
  // Relaxed: the thread that has pinned it outside of EDTs orders that with the block's end.
  const bool pinned = block->pinned_outside.load(std::memory_order_relaxed);
  unlock_or_dispose(local, *block);
  // Not behind the last: another thread may have made the label's next block.
  while (pinned && unpin_outside(local, guid) == Unpinned::others_remain) continue;
  if (local.current == nullptr) return 0;
  const Holding held = find_held(*local.current, guid);
  if (held.block != nullptr) release_holding(local, *local.current, held);
  return 0;
}

void release_holding(BlockLocal& local, Run& run, const Holding& held) {
  if (held.slot == nullptr) {
    if (!release_waited(local, run, *held.block)) release_created(local, run, *held.block);
    return;
  }
  if (checking::active()) [[unlikely]]
    checking::released(*held.block);
  const std::uint64_t block = held.slot->value;
  for (Slot& slot : run.edt.slots().subspan(held.slot->index)) {
    // Relaxed: the EDT runs on this thread, which alone changes its slots now.
    if (slot.state.load(std::memory_order_relaxed) == SlotState::held && slot.value == block)
      slot.state.store(SlotState::released, std::memory_order_relaxed);
  }
  if (held.block->is_tiered()) [[unlikely]]
    end_use(run.edt, *held.block);
  release(local, *held.block, held.slot->mode);
}

}  // namespace weir::ocr
