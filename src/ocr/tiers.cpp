// SPDX-License-Identifier: Apache-2.0

#include "ocr/tiers.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <utility>

#include "ocr/block.hpp"
#include "ocr/complain.hpp"
#include "ocr/local.hpp"
#include "ocr/pause.hpp"
#include "ocr/system.hpp"
#include "sched/scheduler.hpp"
#include "weir/error.hpp"

namespace weir::ocr {

namespace {

constexpr std::size_t kKinds = 4;  // of Wish::Tier: each has a pool per domain

bool moves_at_begin(const sched::Worker& worker) noexcept {
  const Strategy strategy = worker.scheduler().options().strategy;
  return strategy == Strategy::off || strategy == Strategy::inline_;
}

}  // namespace

Mode mode_for(std::uint8_t mode) noexcept {
  switch (mode) {
    case DB_MODE_RW: return Mode::concurrent;
    case DB_MODE_EW: return Mode::inout;
    default: return Mode::in;
  }
}

u8 tell_no_place(const base::Status& status, const char* what) noexcept {
  static std::atomic<bool> told{false};
  if (!told.exchange(true, std::memory_order_relaxed)) {
    std::fprintf(stderr, "weir: ocr: %s: %s (further failures of this kind are return codes only)\n", what,
                 status.message.c_str());
  }
  return status.code == base::Code::no_space || status.code == base::Code::bad_input ? OCR_ENOMEM : OCR_EIO;
}

// ---- Memory ----

namespace {

// Less where there is little memory: slabs of several sizes of blocks are not to fill it.
std::size_t slab_bytes(data::Store& store) noexcept {
  constexpr std::size_t kPart = 64;
  std::size_t bytes = BlockPools::kLargestSlab;
  for (const data::Tier& tier : store.tiers().tiers())
    for (const data::Arena* const arena : tier.arenas)
      while (bytes > BlockPools::kLargest && bytes > arena->budget() / kPart) bytes /= 2;
  return bytes;
}

}  // namespace

Tiers::Tiers(runtime::State& state) : scheduler_(*state.scheduler), store_(state.blocks->store()) {
  const auto domains = static_cast<std::size_t>(scheduler_.domain_count());
  pools_ = std::make_unique<BlockPools>(domains * kKinds, slab_bytes(store_),
                                        [this](PoolId pool) { return make_slab(pool); });
}

Tiers::~Tiers() = default;

PoolId Tiers::pool_of(const Place& place) const noexcept {
  return static_cast<PoolId>(static_cast<std::size_t>(place.domain) * kKinds +
                             static_cast<std::size_t>(place.wish.tier));
}

data::Block* Tiers::make(std::uint64_t bytes, const Place& place, const char* name) noexcept {
  try {
    base::Result<data::Block*> made =
        store_.make(weir::detail::contiguous(bytes), nullptr, name, machine_domain(place.domain), place.wish);
    if (made) return *made;
    tell_no_place(made.status(), "ocrDbCreate()");
  } catch (const std::exception& error) {
    tell_no_place({base::Code::no_space, error.what()}, "ocrDbCreate()");
  }
  return nullptr;
}

// In memory for ever. Where that has no room left, others have to leave: it is held as a running EDT's block is.
std::byte* Tiers::make_slab(PoolId pool) noexcept {
  Place place{static_cast<int>(pool / kKinds), {}};
  place.wish.tier = static_cast<data::Wish::Tier>(pool % kKinds);
  place.wish.stays = place.wish.counts_holds = true;
  constexpr const char* kName = "small data blocks";
  try {
    Slab slab;
    auto made = store_.make(weir::detail::contiguous(pools_->slab_bytes()), nullptr, kName,
                            machine_domain(place.domain), place.wish);
    if (made) {
      slab.block.reset(*made);
    } else {
      place.wish.stays = false;
      slab.block.reset(make(pools_->slab_bytes(), place, kName));
      if (slab.block == nullptr) return nullptr;
      if (begin_hold(*local(), *slab.block, Mode::out, slab.hold) != 0) {
        static_cast<void>(store_.drop(slab.block.release()));
        return nullptr;
      }
    }
    std::byte* const data = address_of(*slab.block, slab.hold.get());
    const std::lock_guard lock(slab_mutex_);
    slabs_.push_back(std::move(slab));
    return data;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

std::uint64_t Tiers::bytes_of_slabs() noexcept {
  const std::lock_guard lock(slab_mutex_);
  return slabs_.size() * pools_->slab_bytes();
}

// ---- Blocks in place for a thread ----

namespace {

void tell(data::Request& request) noexcept {
  Tiers& tiers = System::running()->tiers();
  const std::lock_guard lock(tiers.waiting_mutex);
  static_cast<Hold*>(request.task)->done = true;
  tiers.waiting.notify_all();
}

// False: the program ends before.
bool wait_for_place(Local& local, Hold& hold) {
  constexpr auto kLook = std::chrono::milliseconds(10);  // for the end of the program
  const System& system = *System::running();
  Tiers& tiers = local.tiers;
  const bool was_running = local.running.exchange(false, std::memory_order_acq_rel);  // who pauses need not wait for it
  local.worker->begin_blocking();
  std::unique_lock lock(tiers.waiting_mutex);
  bool gives_up = true;
  while (!hold.done) {
    tiers.waiting.wait_for(lock, kLook);
    if (hold.done || !gives_up || !system.shutting_down()) continue;
    lock.unlock();
    const bool withdrawn = tiers.store().withdraw(hold.request);
    lock.lock();
    if (withdrawn) break;
    gives_up = false;  // it is on its way
  }
  const bool in_place = hold.done;
  local.worker->end_blocking();
  lock.unlock();
  enter_running(local, was_running);
  return in_place;
}

// What the running EDT has in place, for as long as it waits.
std::vector<data::Block*> held_by(Run& run, const data::Block& wanted) {
  std::vector<data::Block*> held;
  for (Block* made = run.created; made != nullptr; made = made->created_next)
    if (made->is_tiered() && &made->tier() != &wanted) held.push_back(&made->tier());
  const std::size_t own = held.size();
  const auto add = [&](data::Block& block) {
    if (&block != &wanted &&
        std::find(held.begin() + static_cast<std::ptrdiff_t>(own), held.end(), &block) == held.end())
      held.push_back(&block);
  };
  if (EdtBlocks* const blocks = blocks_of(run.edt); blocks != nullptr && blocks->has_blocks())
    for (const data::Use& use : blocks->asks().uses()) add(*use.block);
  if (run.extra != nullptr)
    for (const Pin& each : run.extra->pins) add(each.block->tier());
  return held;
}

// The same of a thread outside of EDTs.
std::vector<data::Block*> held_outside(const Local& local) {
  std::vector<data::Block*> held;
  const std::lock_guard lock(local.tiers.outside_mutex);
  for (const Pin& each : local.tiers.outside)
    if (each.thread == &local) held.push_back(&each.block->tier());
  std::sort(held.begin(), held.end());
  held.erase(std::unique(held.begin(), held.end()), held.end());
  return held;
}

}  // namespace

u8 begin_hold(Local& local, data::Block& block, Mode mode, std::unique_ptr<Hold>& hold) {
  data::Store& store = local.tiers.store();
  if (store.hold(block)) return 0;
  auto made = std::make_unique<Hold>();
  data::Request& request = made->request;
  request.task = made.get();
  request.told = &tell;
  request.running = true;
  request.name = lasting_name_of(local.maker());
  static_cast<void>(request.add(block, mode));
  made->beside = local.current != nullptr ? held_by(*local.current, block) : held_outside(local);
  request.beside = made->beside;
  store.add(request);
  const int domain = local.tiers.machine_domain(local.worker->domain());
  if (!store.ready(request, local.worker->index(), domain) && !wait_for_place(local, *made)) {
    request.sequence = 0;
    made->scratch = std::make_unique<std::byte[]>(block.bytes);
    request.uses().front().address = made->scratch.get();
    hold = std::move(made);
    return 0;
  }
  request.beside = {};
  static_cast<void>(store.try_begin(request));  // nobody takes from who waits
  if (!request.failure) {
    const base::Status why = request.failure;
    store.finish(request);
    return tell_no_place(why, "a data block cannot be brought to where the program can use it");
  }
  hold = std::move(made);
  return 0;
}

void end_hold(data::Block& block, std::unique_ptr<Hold> hold) noexcept {
  if (hold == nullptr)
    block.store->release_hold(block);
  else if (hold->scratch == nullptr)
    block.store->finish(hold->request);
}

std::byte* address_of(const data::Block& block, const Hold* hold) noexcept {
  void* const address = hold == nullptr ? block.address.load(std::memory_order_relaxed)
                                        : const_cast<Hold*>(hold)->request.uses().front().address;
  return static_cast<std::byte*>(address);
}

namespace {

void drop(Local& local, Pin pin) {
  end_hold(pin.block->tier(), std::move(pin.hold));
  pin.block->word.lock_held();
  unname(local, *pin.block);
}

const Pin* find_pin(const Run& run, const Block& block) noexcept {
  if (run.extra == nullptr) return nullptr;
  const std::vector<Pin>& pins = run.extra->pins;
  const auto found = std::find_if(pins.begin(), pins.end(), [&](const Pin& pin) { return pin.block == &block; });
  return found == pins.end() ? nullptr : &*found;
}

// Takes out the pin of that block; its block is null when there is none.
Pin take(std::vector<Pin>& pins, Guid block) {
  const auto found = std::find_if(pins.begin(), pins.end(), [&](const Pin& p) { return p.guid == block; });
  if (found == pins.end()) return {nullptr, {}, nullptr, nullptr};
  Pin taken = std::move(*found);
  pins.erase(found);
  return taken;
}

}  // namespace

u8 pin(Local& local, Block& block, Mode mode, std::byte*& address) {
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
  if (local.current != nullptr) {
    local.current->make_extra().pins.push_back(std::move(made));
    return 0;
  }
  const std::lock_guard lock(local.tiers.outside_mutex);
  local.tiers.outside.push_back(std::move(made));
  block.pinned_outside.store(true, std::memory_order_relaxed);
  return 0;
}

std::byte* address_outside(const Local& local, const Block& block) noexcept {
  const std::lock_guard lock(local.tiers.outside_mutex);
  for (const Pin& each : local.tiers.outside)
    if (each.block == &block) return address_of(block.tier(), each.hold.get());
  return static_cast<std::byte*>(block.tier().address.load(std::memory_order_relaxed));
}

bool has_pin(const Run& run, const Block& block) noexcept { return find_pin(run, block) != nullptr; }

bool unpin(Local& local, Guid block) {
  if (local.current == nullptr) return unpin_outside(local, block);
  RunExtra* const extra = local.current->extra.get();
  if (extra == nullptr) return false;
  Pin taken = take(extra->pins, block);
  if (taken.block == nullptr) return false;
  drop(local, std::move(taken));
  return true;
}

bool unpin_outside(Local& local, Guid block) {
  Pin taken{nullptr, {}, nullptr, nullptr};
  {
    const std::lock_guard lock(local.tiers.outside_mutex);
    taken = take(local.tiers.outside, block);
  }
  if (taken.block == nullptr) return false;
  taken.block->pinned_outside.store(false, std::memory_order_relaxed);
  drop(local, std::move(taken));
  return true;
}

void unpin_all(Local& local, Run& run) {
  if (run.extra == nullptr) return;
  for (Pin& each : std::exchange(run.extra->pins, {})) drop(local, std::move(each));
}

// ---- Blocks of an EDT ----

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
  const sched::TaskExtra* const extra = edt.task().note.seen().extra();  // it may be given hints meanwhile
  return extra == nullptr ? nullptr : static_cast<EdtBlocks*>(extra->hooks.seen());
}

namespace {

EdtBlocks& add_blocks(Local& local, Edt& edt) {
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
    Block& block = *reinterpret_cast<Block*>(slot.value);
    if (block.is_tiered() && !f(slot, block)) return;
  }
}

// All of its blocks stay where they are, without a request. False: they are tracked, and none is held.
bool hold_all(Local& local, Edt& edt) noexcept {
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

void prepare_blocks(Local& local, Edt& edt) { static_cast<void>(add_blocks(local, edt)); }

void announce(Local& local, Slot& slot, Edt& edt, Guid guid) {
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

void forget_announced(Local& local, Slot& slot, Block& block) noexcept {
  if ((slot.flags & Slot::kNamed) == 0) return;
  slot.flags = static_cast<std::uint8_t>(slot.flags & ~Slot::kNamed);
  block.word.lock_held();
  unname(local, block);
}

void stage_blocks(Local& local, Edt& edt) {
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

std::byte* address_in(const Run& run, const Block& block) noexcept {
  if (!block.is_tiered()) return block.small();
  if (block.creator == &run.edt) return address_of(block.tier(), block.hold.get());
  if (const Pin* const pin = find_pin(run, block)) return address_of(block.tier(), pin->hold.get());
  EdtBlocks* const blocks = blocks_of(run.edt);
  const data::Use* const use = blocks == nullptr || !blocks->has_blocks() ? nullptr : blocks->asks().find(block.tier());
  return static_cast<std::byte*>(use != nullptr ? use->address : block.tier().address.load(std::memory_order_relaxed));
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
