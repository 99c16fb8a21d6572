// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/edt_blocks.hpp"

#include "ocr/blocks/dispose.hpp"
#include "ocr/observe/complain.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

using runtime::TaskData;

// Others may give it hints now.
TaskData* blocks_of(Edt& edt) noexcept { return TaskData::seen_of(edt.task()); }

namespace {

TaskData& add_blocks(BlockLocal& local, Edt& edt) {
  sched::Task& task = edt.task();
  TaskData& blocks =
      TaskData::with_request(task, &local.tiers.store(), local.worker->scheduler(), TaskData::OnFailure::run);
  data::Request& request = *blocks.request();
  request.name = lasting_name_of(edt.kind());
  const int domain = task.note.extra()->domain;
  request.domain = local.tiers.machine_domain(domain < 0 ? local.worker->domain() : domain);
  request.make_room(edt.depc());
  return blocks;
}

template <class F>
void for_each_tiered(Edt& edt, F&& f) {
  for (Slot& slot : edt.slots()) {
    if (!holds_first(slot)) continue;
    Block& block = slot.block();
    if (block.is_tiered() && !f(slot, block)) return;
  }
}

// All of its blocks stay where they are, without a request. False: they are tracked, and none is held.
bool hold_all(BlockLocal& local, Edt& edt) noexcept {
  data::Store& store = local.tiers.store();
  const Slot* refused = nullptr;
  for_each_tiered(edt, [&](Slot& slot, Block& block) {
    if (!store.untracked().hold(block.tier())) refused = &slot;
    return refused == nullptr;
  });
  if (refused == nullptr) return true;
  for_each_tiered(edt, [&](Slot& slot, Block& block) {
    if (&slot == refused) return false;
    store.untracked().release(block.tier());
    return true;
  });
  return false;
}

}  // namespace

void prepare_blocks(BlockLocal& local, Edt& edt) { static_cast<void>(add_blocks(local, edt)); }

void announce(BlockLocal& local, Slot& slot, Edt& edt, Guid guid) {
  TaskData* const blocks = blocks_of(edt);
  if (blocks == nullptr || slot.mode == DB_MODE_NULL) return;
  Block* const block = lock_object(ocr::blocks(), Kind::block, guid);
  if (block == nullptr) return;
  const bool wanted = block->is_tiered() && block->fetch != Block::Fetch::lazy;
  const bool eager = block->fetch == Block::Fetch::eager;
  if (wanted) ++block->named;
  block->word.unlock();
  if (!wanted) return;
  slot.flags |= Slot::kNamed;
  local.tiers.store().add(*blocks->request(), block->tier(), mode_for(slot.mode), eager);
}

void forget_announced(BlockLocal& local, Slot& slot, Block& block) noexcept {
  slot.flags = static_cast<std::uint8_t>(slot.flags & ~Slot::kNamed);
  block.word.lock_held();
  unname(local, block);
}

void stage_blocks(BlockLocal& local, Edt& edt) {
  TaskData* blocks = blocks_of(edt);
  if (blocks == nullptr) {
    if (hold_all(local, edt)) return;
    blocks = &add_blocks(local, edt);
  }
  for_each_tiered(edt, [&](Slot& slot, Block& block) {
    blocks->store().add(*blocks->request(), block.tier(), mode_for(slot.mode), false);
    return true;
  });
}

void end_use(Edt& edt, Block& block) noexcept {
  TaskData* const blocks = blocks_of(edt);
  if (blocks == nullptr)
    block.tier().store->untracked().release(block.tier());
  else if (data::Request* const request = blocks->registered())
    blocks->store().release(*request, block.tier());
}

base::Status blocks_failure(Edt& edt) noexcept {
  TaskData* const blocks = blocks_of(edt);
  return blocks != nullptr ? blocks->request()->failure : base::Status::success();
}

}  // namespace weir::ocr
