// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/holds.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/mutex.hpp"
#include "ocr/blocks/dispose.hpp"
#include "ocr/blocks/edt_blocks.hpp"
#include "ocr/observe/complain.hpp"
#include "ocr/observe/waits.hpp"
#include "ocr/program/pause.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

// The thread that waits may go on, and the hold be gone, once the lock is given up.
void Hold::staged(data::Request&) noexcept {
  Tiers& of = tiers;
  const base::Lock lock(of.waiting_mutex);
  done = true;
  of.waiting.notify_all();
}

namespace {

// False: the program ends before.
bool sleep_until_placed(BlockLocal& local, Hold& hold) {
  constexpr auto kLook = std::chrono::milliseconds(10);  // for the end of the program
  Tiers& tiers = local.tiers;
  const WaitNote note(local, {WaitedFor::What::room, {}, reinterpret_cast<std::uintptr_t>(hold.request.requester)},
                      nullptr);
  local.worker->begin_blocking();
  base::Lock lock(tiers.waiting_mutex);
  bool gives_up = true;
  while (!hold.done) {
    lock.wait_for(tiers.waiting, kLook);
    if (hold.done || !gives_up || !local.program.shutting_down()) continue;
    lock.unlock();
    const bool withdrawn = tiers.store().withdraw(hold.request);
    lock.lock();
    if (withdrawn) break;
    gives_up = false;  // it is on its way
  }
  local.worker->end_blocking();
  return hold.done;
}

bool wait_for_place(BlockLocal& local, Hold& hold) {
  // PAUSE-1: releases what the EDT has done.
  const bool was_running =
      local.activity.running.exchange(false, std::memory_order_acq_rel);  // a pause need not wait for it
  const bool was_paused = local.on_wait_for_room();
  const bool in_place = sleep_until_placed(local, hold);
  local.on_room(was_paused);
  enter_running(local, was_running);
  return in_place;
}

// What the running EDT has in place, for as long as it waits.
std::vector<data::engine::Block*> held_by(Run& run, const data::Block& wanted) {
  std::vector<data::engine::Block*> held;
  for (Block* made = run.created; made != nullptr; made = made->created_next)
    if (made->is_tiered() && &made->tier() != &wanted) held.push_back(&made->tier());
  const std::size_t own = held.size();
  const auto add = [&](data::engine::Block& block) {
    if (&block != &wanted &&
        std::find(held.begin() + static_cast<std::ptrdiff_t>(own), held.end(), &block) == held.end())
      held.push_back(&block);
  };
  if (runtime::TaskData* const blocks = blocks_of(run.edt); blocks != nullptr && blocks->registered() != nullptr)
    for (const data::Use& use : blocks->request()->uses()) add(*use.block);
  if (run.extra != nullptr)
    for (const WaitedHold& each : run.extra->waited)
      if (each.block->is_tiered()) add(each.block->tier());
  return held;
}

// What a thread outside of EDTs has in place.
std::vector<data::engine::Block*> held_outside(const BlockLocal& local) {
  std::vector<data::engine::Block*> held;
  const base::Lock lock(local.tiers.outside_mutex);
  for (const Pin& each : local.tiers.outside)
    if (each.thread == &local) held.push_back(&each.block->tier());
  std::sort(held.begin(), held.end());
  held.erase(std::unique(held.begin(), held.end()), held.end());
  return held;
}

}  // namespace

u8 begin_hold(BlockLocal& local, data::Block& block, Mode mode, std::unique_ptr<Hold>& hold) {
  data::Store& store = local.tiers.store();
  if (store.untracked().hold(block)) return 0;
  auto made = std::make_unique<Hold>(local.tiers);
  data::Request& request = made->request;
  request.requester = made.get();
  request.kind = data::RequestKind::addition;
  request.name = lasting_name_of(local.maker());
  static_cast<void>(request.add(block, mode));
  made->others = local.current != nullptr ? held_by(*local.current, block) : held_outside(local);
  request.also_held = made->others;
  store.add(request);
  const DomainId domain = local.tiers.machine_domain(local.worker->domain());
  if (!store.ready(request, local.worker->index(), domain) && !wait_for_place(local, *made)) {
    request.sequence = 0;
    made->scratch = std::make_unique<std::byte[]>(block.bytes);
    hold = std::move(made);
    return 0;
  }
  request.also_held = {};
  static_cast<void>(store.try_begin(request));  // nothing takes from one that waits
  if (!request.failure) {
    const base::Status why = request.failure;
    store.finish(request);
    return report_no_place(why, "a data block cannot be brought to where the program can use it");
  }
  hold = std::move(made);
  return 0;
}

void end_hold(data::Block& block, std::unique_ptr<Hold> hold) noexcept {
  if (hold == nullptr)
    block.store->untracked().release(block);
  else if (hold->scratch == nullptr)
    block.store->finish(hold->request);
}

std::byte* address_of(const data::Block& block, const Hold* hold) noexcept {
  // Relaxed: a count holds the block, so its address stays (docs/protocols/blocks.md, Addresses).
  if (hold == nullptr) return static_cast<std::byte*>(block.address.load(std::memory_order_relaxed));
  if (hold->scratch != nullptr) return hold->scratch.get();
  return static_cast<std::byte*>(block.store->address_of(hold->request.uses().front()));
}

namespace {

void drop(BlockLocal& local, Pin pin) {
  end_hold(pin.block->tier(), std::move(pin.hold));
  pin.block->word.lock_held();
  pin.block->note_written();  // perhaps
  unname(local, *pin.block);
}

const WaitedHold* find_waited(const Run& run, const Block& block) noexcept {
  if (run.extra == nullptr) return nullptr;
  for (const WaitedHold& each : run.extra->waited)
    if (each.block == &block) return &each;
  return nullptr;
}

// The pin of that block, rather of that thread than of another; null: there is none. Under Tiers::outside_mutex.
Pin* find_pin(std::vector<Pin>& pins, Guid block, const ProgramLocal& thread) {
  Pin* found = nullptr;
  for (Pin& each : pins) {
    if (each.guid != block) continue;
    if (each.thread == &thread) return &each;
    if (found == nullptr) found = &each;
  }
  return found;
}

// Takes out that pin; its block is null when there is none.
Pin take(std::vector<Pin>& pins, Guid block, const ProgramLocal& thread) {
  Pin* const found = find_pin(pins, block, thread);
  if (found == nullptr) return {nullptr, {}, nullptr, nullptr};
  Pin taken = std::move(*found);
  pins.erase(pins.begin() + (found - pins.data()));
  return taken;
}

// Where the block is that the calling thread has pinned; null: it has not.
std::byte* pinned_here(const BlockLocal& local, const Block& block) {
  // Relaxed: the calling thread's own pin was set by itself.
  if (!block.pinned_outside.load(std::memory_order_relaxed)) return nullptr;
  const base::Lock lock(local.tiers.outside_mutex);
  const Pin* const found = find_pin(local.tiers.outside, block.guid(), local);
  if (found == nullptr || found->thread != &local) return nullptr;
  return address_of(block.tier(), found->hold.get());
}

}  // namespace

u8 pin(BlockLocal& local, Block& block, Mode mode, std::byte*& address) {
  address = pinned_here(local, block);
  if (address != nullptr) return 0;
  block.word.lock_held();
  ++block.named;
  block.word.unlock();
  Pin made{&block, block.guid(), nullptr, &local};
  if (const u8 code = begin_hold(local, block.tier(), mode, made.hold)) {
    block.word.lock_held();
    unname(local, block);
    return code;
  }
  address = address_of(block.tier(), made.hold.get());
  const base::Lock lock(local.tiers.outside_mutex);
  local.tiers.outside.push_back(std::move(made));
  block.pinned_outside.store(true, std::memory_order_relaxed);  // relaxed: the thread that destroys it comes after
  return 0;
}

std::byte* address_outside(const BlockLocal& local, const Block& block) noexcept {
  const base::Lock lock(local.tiers.outside_mutex);
  for (const Pin& each : local.tiers.outside)
    if (each.block == &block) return address_of(block.tier(), each.hold.get());
  // Relaxed, here and below: as in address_of().
  return static_cast<std::byte*>(block.tier().address.load(std::memory_order_relaxed));
}

Unpinned unpin_outside(BlockLocal& local, Guid block) {
  Pin taken{nullptr, {}, nullptr, nullptr};
  bool others_remain = false;
  {
    const base::Lock lock(local.tiers.outside_mutex);
    taken = take(local.tiers.outside, block, local);
    if (taken.block == nullptr) return Unpinned::none;
    others_remain = find_pin(local.tiers.outside, block, local) != nullptr;
    taken.block->pinned_outside.store(others_remain, std::memory_order_relaxed);  // relaxed: changed under that lock
  }
  drop(local, std::move(taken));
  return others_remain ? Unpinned::others_remain : Unpinned::last;
}

std::byte* address_in(const Run& run, const Block& block) noexcept {
  if (!block.is_tiered()) return block.small();
  if (const WaitedHold* const waited = find_waited(run, block)) return address_of(block.tier(), waited->hold.get());
  if (block.creator == &run.edt) return address_of(block.tier(), block.hold.get());
  runtime::TaskData* const blocks = blocks_of(run.edt);
  const data::Request* const request = blocks == nullptr ? nullptr : blocks->registered();
  const data::Use* const use = request == nullptr ? nullptr : request->find(block.tier());
  const data::Block& tier = block.tier();
  // Relaxed: null or the place that the EDT holds.
  return static_cast<std::byte*>(use != nullptr ? tier.store->address_of(*use)
                                                : tier.address.load(std::memory_order_relaxed));
}

}  // namespace weir::ocr
