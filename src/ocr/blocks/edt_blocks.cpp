// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/edt_blocks.hpp"

#include "ocr/blocks/dispose.hpp"
#include "ocr/observe/complain.hpp"
#include "sched/scheduler.hpp"

namespace weir::ocr {

namespace {

bool moves_at_begin(const sched::Worker& worker) noexcept {
  const Strategy strategy = worker.scheduler().options().strategy;
  return strategy == Strategy::off || strategy == Strategy::inline_;
}

}  // namespace

bool EdtBlocks::on_ready(sched::Worker& worker, sched::Task& task) noexcept {
  if (!has_blocks() || asked_ || moves_at_begin(worker)) return true;
  return ask(worker, task);
}

bool EdtBlocks::ask(sched::Worker& worker, sched::Task& task) noexcept {
  asked_ = true;
  const int wanted = task.note.extra()->domain;
  return store_.ready(request_, worker.index(),
                      worker.scheduler().machine_domain(wanted < 0 ? worker.domain() : wanted));
}

bool EdtBlocks::try_begin(sched::Worker& worker, sched::Task& task) noexcept {
  if (!has_blocks()) return true;
  if (!asked_ && !ask(worker, task)) return false;
  return store_.try_begin(request_);
}

void EdtBlocks::finish() noexcept {
  if (!has_blocks()) return;
  store_.finish(request_);
  request_.sequence = 0;
}

EdtBlocks* blocks_of(Edt& edt) noexcept {
  const sched::TaskExtra* const extra = edt.task().note.seen().extra();  // others may give it hints now
  return extra == nullptr ? nullptr : static_cast<EdtBlocks*>(extra->hooks.seen());
}

namespace {

EdtBlocks& add_blocks(BlockLocal& local, Edt& edt) {
  sched::Task& task = edt.task();
  if (task.note.extra() == nullptr) task.note = sched::TaskNote(new sched::TaskExtra);
  auto* const blocks = new EdtBlocks(local.tiers.store());
  task.note.extra()->hooks = blocks;
  data::Request& request = blocks->asks();
  request.task = &task;
  request.revocable = true;
  request.name = lasting_name_of(edt.kind());
  const int domain = task.note.extra()->domain;
  request.domain = local.tiers.machine_domain(domain < 0 ? local.worker->domain() : domain);
  request.trace_id = sched::trace_id(task.ref());
  request.make_room(edt.depc());
  return *blocks;
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
    if (!store.hold(block.tier())) refused = &slot;
    return refused == nullptr;
  });
  if (refused == nullptr) return true;
  for_each_tiered(edt, [&](Slot& slot, Block& block) {
    if (&slot == refused) return false;
    store.release_hold(block.tier());
    return true;
  });
  return false;
}

}  // namespace

void prepare_blocks(BlockLocal& local, Edt& edt) { static_cast<void>(add_blocks(local, edt)); }

void announce(BlockLocal& local, Slot& slot, Edt& edt, Guid guid) {
  EdtBlocks* const blocks = blocks_of(edt);
  if (blocks == nullptr || slot.mode == DB_MODE_NULL) return;
  Block* const block = lock_object(ocr::blocks(), Kind::block, guid);
  if (block == nullptr) return;
  const bool wanted = block->is_tiered() && !block->lazy;
  const bool eager = block->eager;
  if (wanted) ++block->named;
  block->word.unlock();
  if (!wanted) return;
  slot.flags |= Slot::kNamed;
  local.tiers.store().add(blocks->asks(), block->tier(), mode_for(slot.mode), eager);
}

void forget_announced(BlockLocal& local, Slot& slot, Block& block) noexcept {
  if ((slot.flags & Slot::kNamed) == 0) return;
  slot.flags = static_cast<std::uint8_t>(slot.flags & ~Slot::kNamed);
  block.word.lock_held();
  unname(local, block);
}

void stage_blocks(BlockLocal& local, Edt& edt) {
  EdtBlocks* blocks = blocks_of(edt);
  if (blocks == nullptr) {
    if (hold_all(local, edt)) return;
    blocks = &add_blocks(local, edt);
  }
  for_each_tiered(edt, [&](Slot& slot, Block& block) {
    blocks->store().add(blocks->asks(), block.tier(), mode_for(slot.mode), false);
    return true;
  });
}

void end_use(Edt& edt, Block& block) noexcept {
  EdtBlocks* const blocks = blocks_of(edt);
  if (blocks == nullptr)
    block.tier().store->release_hold(block.tier());
  else if (blocks->has_blocks())
    blocks->store().release(blocks->asks(), block.tier());
}

base::Status blocks_failure(Edt& edt) noexcept {
  EdtBlocks* const blocks = blocks_of(edt);
  return blocks != nullptr ? blocks->asks().failure : base::Status::success();
}

}  // namespace weir::ocr
