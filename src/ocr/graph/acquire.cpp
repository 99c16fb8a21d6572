// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/acquire.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "ocr/blocks/block.hpp"
#include "ocr/blocks/edt_blocks.hpp"
#include "ocr/graph/borrow.hpp"
#include "ocr/graph/local.hpp"
#include "ocr/graph/place.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/observe/complain.hpp"
#include "ocr/observe/tracing.hpp"

namespace weir::ocr {

namespace {

int strength(std::uint8_t mode) noexcept {
  switch (mode) {
    case DB_MODE_EW: return 3;
    case DB_MODE_RW: return 2;
    case DB_MODE_CONST: return 1;
    default: return 0;
  }
}

bool wants_block(const Slot& slot) noexcept {
  // Relaxed: the last of the slots has been satisfied (SLOT-1).
  return slot.state.load(std::memory_order_relaxed) == SlotState::satisfied && slot.value != 0 &&
         slot.mode != DB_MODE_NULL;
}

// Slots that want the same block.
struct Group {
  Slot** first;
  Slot** last;
  std::uint64_t guid() const noexcept { return (*first)->value; }
};

// Different modes for one block are a mistake.
std::uint8_t mode_of(const Edt& edt, const Group& group) noexcept {
  const Slot* strongest = *group.first;
  for (Slot** at = group.first + 1; at != group.last; ++at) {
    if ((*at)->mode == strongest->mode) continue;
    complain_once(edt, "has a block in several slots in different modes, and gets it in the strongest", {group.guid()});
    if (strength((*at)->mode) > strength(strongest->mode)) strongest = *at;
  }
  return strongest->mode;
}

// The EDT holds the block, the first slot stands for all. Inlined always: each EDT does it for each block.
[[gnu::always_inline]] inline void enter_held(Local& local, Edt& edt, const Group& group, Block& block,
                                              std::uint8_t mode) noexcept {
  if (block.is_tiered()) [[unlikely]]
    edt.body().flags |= Edt::kTiered;
  for (Slot** at = group.first; at != group.last; ++at) {
    Slot& slot = **at;
    if ((slot.flags & Slot::kNamed) != 0) [[unlikely]]
      forget_announced(local, slot, block);
    slot.set_block(block);
    slot.mode = mode;
    slot.flags = at != group.first ? Slot::kShared : 0;
    slot.state.store(SlotState::held, std::memory_order_release);  // HELD-1
  }
}

void enter_missing(Local& local, Edt& edt, const Group& group) noexcept {
  complain(edt, "depends on a data block that was destroyed before it started", {group.guid()});
  for (Slot** at = group.first; at != group.last; ++at) {
    Slot& slot = **at;
    if ((slot.flags & Slot::kNamed) != 0) {  // so its memory is still that block's
      Block& block = *blocks().find(Guid{slot.value}.index());
      end_use(edt, block);
      forget_announced(local, slot, block);
    }
    slot.value = 0;
  }
}

// False: it waits for that block, and may be running by now.
bool try_acquire(Local& local, Edt& edt, const Group& group) {
  const Guid guid{group.guid()};
  const std::uint8_t mode = mode_of(edt, group);
  edt.body().acquired = guid;
  Block* block = nullptr;
  switch (acquire(local, edt, mode, block)) {
    case Acquired::yes: enter_held(local, edt, group, *block, mode); return true;
    case Acquired::waits: return false;
    default: break;
  }
  if (is_far(guid)) {
    borrow(local, edt, guid, mode);
    return false;
  }
  enter_missing(local, edt, group);
  return true;
}

bool acquire_sorted(Local& local, Edt& edt, Slot** first, Slot** last) {
  std::sort(first, last, [](const Slot* a, const Slot* b) { return a->value < b->value; });
  while (first != last) {
    Slot** next = first + 1;
    while (next != last && (*next)->value == (*first)->value) ++next;
    if (!try_acquire(local, edt, {first, next})) return false;
    first = next;
  }
  return true;
}

template <class F>
std::size_t collect(Edt& edt, F&& put) {
  std::size_t count = 0;
  for (Slot& slot : edt.slots())
    if (wants_block(slot)) put(count++, &slot);
  return count;
}

bool acquire_all(Local& local, Edt& edt) {
  std::array<Slot*, 16> few;
  if (edt.depc() <= few.size()) {
    const std::size_t count = collect(edt, [&](std::size_t i, Slot* slot) { few[i] = slot; });
    if (count == 1) return try_acquire(local, edt, {few.data(), few.data() + 1});
    return acquire_sorted(local, edt, few.data(), few.data() + count);
  }
  std::vector<Slot*> many;
  collect(edt, [&](std::size_t, Slot* slot) { many.push_back(slot); });
  return acquire_sorted(local, edt, many.data(), many.data() + many.size());
}

}  // namespace

void acquire_blocks(Local& local, Edt& edt) {
  if (edt.depc() != 0 && !acquire_all(local, edt)) return;
  place(local, edt);
  Activity::add(local.activity.readied);
  if (local.worker->track() != nullptr) [[unlikely]]
    trace_ready(local, edt);
  if (edt.has(Edt::kTiered)) [[unlikely]]
    stage_blocks(local, edt);
  local.worker->submit(&edt.task());
}

namespace {

// Calls f(slot) for those that want the block that the EDT waits for.
template <class F>
void for_each_wanting(Edt& edt, F&& f) {
  for (Slot& slot : edt.slots())
    if (wants_block(slot) && slot.value == edt.body().acquired.bits) f(slot);
}

}  // namespace

void block_granted(Local& local, Edt& edt, Block& block) {
  if (local.worker->track() != nullptr) [[unlikely]]
    trace_block_granted(local, edt);
  bool first = true;
  for_each_wanting(edt, [&](Slot& each) {
    Slot* slot = &each;
    enter_held(local, edt, {&slot, &slot + 1}, block, edt.body().waiting_mode);
    slot->flags = std::exchange(first, false) ? 0 : Slot::kShared;
  });
  acquire_blocks(local, edt);
}

void block_missing(Local& local, Edt& edt) {
  for_each_wanting(edt, [&](Slot& each) {
    Slot* slot = &each;
    enter_missing(local, edt, {&slot, &slot + 1});
  });
  acquire_blocks(local, edt);
}

}  // namespace weir::ocr
