// SPDX-License-Identifier: Apache-2.0

// What the public API calls for blocks: making and destroying one, flush(), and where a task finds it.
#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "base/joined.hpp"
#include "check/hooks.hpp"
#include "runtime/block_runtime.hpp"
#include "runtime/checking.hpp"
#include "runtime/checkpointing.hpp"
#include "runtime/lifetime.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/shared_data.hpp"
#include "runtime/task_data.hpp"
#include "weir/block.hpp"
#include "weir/detail/ranked.hpp"

namespace weir {

namespace detail {

namespace {

data::Block& make_in(RuntimeAccess::State& state, const BlockLayout& layout, void* program, const char* name) {
  if (check::active()) return data::block_of(*runtime::make_checked_block(layout, program, name));
  const sched::Worker* const worker = runtime::find_this_worker();
  const bool ours = worker != nullptr && &worker->scheduler() == state.scheduler.get();
  const DomainId domain = state.scheduler->machine_domain(ours ? worker->domain() : 0);
  base::Result<data::Block*> block = state.blocks->store().make(layout, program, name, domain);
  if (!block) throw Error(block.status().message);
  return **block;
}

// Returns whose tasks may be left. In a child of the process that made it nothing runs that could end.
std::optional<runtime::Namers> wait_for_tasks(data::Block& block) noexcept {
  const Access access{{&block, 1, 1, 0}, nullptr, nullptr, nullptr, Mode::inout};
  std::optional<runtime::Namers> left = runtime::wait_for_namers(runtime::NamedBy(block.named_by), &access);
  if (!left || block.owner == nullptr || runtime::is_named_below(*block.owner, block)) return std::nullopt;
  return left;
}

// No unfinished task uses it.
void dispose_of(void* object) noexcept {
  data::Block& block = *static_cast<data::Block*>(object);
  if (block.owner != nullptr) block.owner->blocks->strike_off(block);
  if (block.store == nullptr) return runtime::drop_checked_block(&block);
  const base::Status status = block.store->drop(&block);
  if (!status) std::fprintf(stderr, "weir: %s\n", status.message.c_str());
}

[[noreturn, gnu::cold]] void refuse_gone(const data::Block* block) {
  if (block == nullptr) throw Error("flush() of a block or an array that was moved from");
  throw Error(
      fmt::format("flush() of block {:?}, whose runtime has ended: the contents of adopted memory were brought "
                  "back then",
                  block->name));
}

[[noreturn, gnu::cold]] void refuse_early(const data::Block& block) {
  throw Error(fmt::format(
      "flush() of block {:?} before the checkpoint that this run goes on from: its contents at that time are "
      "not there any more. Leave out, when is_restarting(), what looks at them",
      block.name));
}

}  // namespace

BlockBase* make_block(Runtime& runtime, const BlockLayout& layout, void* program, const char* name) {
  RuntimeAccess::State& state = *RuntimeAccess::state(runtime);
  state.kept.collect(*state.scheduler);
  data::Block& block = make_in(state, layout, program, name != nullptr ? name : "");
  try {
    state.blocks->enlist(block);
  } catch (...) {
    block.store != nullptr ? static_cast<void>(block.store->drop(&block)) : runtime::drop_checked_block(&block);
    throw;
  }
  runtime::note_maker(state, block);
  if (runtime::is_outside(state)) block.made = ++state.blocks_made;
  return &block;
}

void no_such_tile(const char* array, const std::size_t* at, const std::size_t* tiles, std::size_t rank) noexcept {
  const std::vector<std::ptrdiff_t> place(at, at + rank);  // -1, as the program has it
  std::fputs(fmt::format("weir: array {:?} has no tile({}): it has {} tiles\n", std::string_view(array),
                         base::joined(place, ", "), base::joined(std::span(tiles, rank), " x "))
                 .c_str(),
             stderr);
  std::abort();
}

void flush_block(BlockBase* base) {
  data::Block* const block = base == nullptr ? nullptr : &data::block_of(*base);
  if (block == nullptr || block->owner == nullptr) refuse_gone(block);
  if (block->owner->restarts) refuse_early(*block);
  static_cast<void>(wait_for_tasks(*block));  // what is left the store refuses
  if (block->store == nullptr) return;        // of a checked program: it never leaves its place
  if (base::Status status = block->store->flush(*block); !status) throw Error(status.message);
}

void drop_block(BlockBase* base) noexcept {
  data::Block& block = data::block_of(*base);
  if (block.owner != nullptr && block.owner->checkpointing != nullptr) block.owner->checkpointing->note_end(block);
  const std::optional<runtime::Namers> left = wait_for_tasks(block);
  if (!left) return dispose_of(&block);
  runtime::keep(*left, {&block, &dispose_of, nullptr, runtime::older_than(*block.owner, block)});
}

// Null when the request does not name the block.
static void* address_for(const data::Request& request, const BlockBase* base) noexcept {
  const data::Block& block = data::block_of(*base);
  const data::Use* const use = request.find(block);
  return use != nullptr ? block.store->address_of(*use) : nullptr;
}

void* address_slow(Task* self, const BlockBase* base) noexcept {
  data::Request* const request = self != nullptr ? runtime::request_of(*self) : nullptr;
  if (request != nullptr) {
    if (void* const address = address_for(*request, base)) return address;
  }
  WEIR_CHECK(false, "a task asks where a block is that its footprint does not name");
  return nullptr;
}

// A task that has no request of its own may be inside of one that has.
void* address_here(const BlockBase* base) noexcept {
  // Relaxed: null or the one place that this task holds (docs/protocols/blocks.md, Addresses).
  if (void* const address = base->address.load(std::memory_order_relaxed)) return address;
  const sched::Worker* const worker = sched::Worker::current();
  WEIR_CHECK(worker != nullptr, "only a task that names a block in its footprint can ask where it is");
  for (const sched::Frame* frame = &const_cast<sched::Worker*>(worker)->frame(); frame != nullptr;
       frame = frame->outer) {
    const sched::Task* const task = frame->task;
    data::Request* const request = task != nullptr ? runtime::request_of(*task) : nullptr;
    if (request == nullptr) continue;
    if (void* const address = address_for(*request, base)) return address;
  }
  WEIR_CHECK(false, "a task asks where a block is that its footprint does not name");
  return nullptr;
}

void* copy_address_here(const RankedTile* tile) noexcept {
  sched::Worker* const worker = sched::Worker::current();
  WEIR_CHECK(worker != nullptr, "only a task that names a tile in its footprint can ask where it is");
  for (const sched::Frame* frame = &worker->frame(); frame != nullptr; frame = frame->outer) {
    const sched::Task* const task = frame->task;
    if (task == nullptr) continue;
    KeptFootprint kept;
    runtime::describe(*task, kept);
    for (const Access& item : std::span(kept.items, kept.count))
      if (item.is_block() && item.storage != Storage::block && ranked_of(item) == tile)
        return address_here(block_of(item));
  }
  WEIR_CHECK(false, "a task asks where a tile of another rank is that its footprint does not name");
  return nullptr;
}

// Tasks with requests end them in their hooks.
void leave_blocks(Task* self, bool ran) noexcept {
  if (data::Request* const request = runtime::request_of(*self)) {
    request->cancelled = !ran;
    return;
  }
  // Where spawning has failed, the thread may be in no frame, or in one of another runtime.
  const sched::Worker* const current = sched::Worker::current();
  const sched::Worker& spawner = *self->scope->owner();
  const bool is_here = current != nullptr && &current->scheduler() == &spawner.scheduler();
  const sched::Worker& worker = is_here ? *current : spawner;
  data::Store* const store = worker.scheduler().owner->blocks->find_store();
  if (store != nullptr) store->untracked().end(worker.index());  // null: a checked program's blocks have none
}

}  // namespace detail

TierStatistics Runtime::tier_statistics() const { return state_->blocks->statistics(); }

}  // namespace weir
