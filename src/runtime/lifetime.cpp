// SPDX-License-Identifier: Apache-2.0

#include "runtime/lifetime.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "check/hooks.hpp"
#include "platform/exceptions_apart.hpp"
#include "runtime/program_memory.hpp"
#include "runtime/watch.hpp"
#include "sched/worker.hpp"
#include "weir/error.hpp"

namespace weir::runtime {

using detail::TaskRef;
using sched::Task;
using sched::Worker;

namespace {

void wait_for_task(Worker& worker, TaskRef ref) noexcept {
  const platform::ExceptionsApart apart;
  if (!check::active()) return worker.wait_for(ref);
  {
    const check::WaitPause pause;
    worker.wait_for(ref);
  }
  const check::Pause pause;
  check::hooks().waited_for(worker.frame().children, sched::trace_id(ref));
}

void wait_for_children(Worker& worker, SpawnScope& scope) noexcept {
  if (!check::active()) return worker.wait_for_children(scope);
  {
    const check::WaitPause pause;
    worker.wait_for_children(scope);
  }
  const check::Pause pause;
  check::hooks().waited(&scope);
}

// In `scope`, which is the calling thread's own.
void wait_in_own_scope(Worker& worker, SpawnScope& scope, const Access* access) noexcept {
  if (scope.unfinished() == 0) return;
  if (access != nullptr) {
    try {
      return worker.wait_for(scope.spawn_behind(*access));
    } catch (const std::bad_alloc&) {  // for all, then
    }
  }
  worker.wait_for_children(scope);
}

// Of any runtime: it may be what tasks of another one wait for.
bool inside_a_task() noexcept {
  Worker* const worker = Worker::current();
  return worker != nullptr && worker->frame().outer != nullptr;
}

// A thread that has no part in the runtime, and takes part now: whoever has spawned the tasks may wait for it.
void wait_as_guest(State& state) noexcept {
  try {
    return wait_for_all(state, worker_in(state));
  } catch (const std::exception&) {  // there are too many guests
  }
  try {
    for (const TaskRef ref : unfinished_tasks(*state.scheduler))
      while (!sched::has_ended(ref)) std::this_thread::yield();
  } catch (const std::bad_alloc&) {
    std::fputs("weir: no memory for the list of tasks that have named what is destroyed\n", stderr);
    std::abort();
  }
}

// False: inside a task, and others than its children may have named it.
bool wait_in(State& state, std::uint64_t scope, const Access* access) noexcept {
  Worker* const worker = find_worker_in(state);
  if (worker == nullptr && inside_a_task()) return false;
  if (worker == nullptr) return wait_as_guest(state), true;
  const sched::Frame& frame = worker->frame();
  SpawnScope* const own = SpawnScope::of(frame.children.get());
  const bool is_own = own != nullptr && reinterpret_cast<std::uintptr_t>(own) == scope;
  if (own != nullptr) wait_in_own_scope(*worker, *own, is_own ? access : nullptr);
  if (is_own) return true;
  if (frame.outer != nullptr || inside_a_task()) return false;
  wait_for_all(state, *worker);
  return true;
}

// Those that a mark of NamedBy is of.
std::optional<Namers> wait_for_mark(std::uint64_t mark, const Access* access) noexcept {
  const Visit visit(mark >> kNumberShift);
  const std::uint64_t scope = mark & NamedBy::kScopeBits;
  if (visit.state() == nullptr || wait_in(*visit.state(), scope, access)) return std::nullopt;
  return Namers{visit, scope == NamedBy::kSeveral ? nullptr : reinterpret_cast<const sched::Scope*>(scope)};
}

bool is_maker(const data::Block& block, Task* task) noexcept {
  return task != nullptr && task == block.maker && task->ref().generation == block.maker_generation;
}

// Those whose children are named in `scope`: do they stand below the maker of the block?
[[gnu::noinline]] void note_place(data::Block& block, const SpawnScope& scope) noexcept {
  for (Task* task = scope.parent(); task != nullptr; task = task->scope->parent())
    if (is_maker(block, task)) return;
  // Relaxed: whoever destroys the block has waited for the tasks that were spawned, or is ordered with them.
  __atomic_store_n(&block.named_outside, true, __ATOMIC_RELAXED);
}

void note_named(data::Block& block, const SpawnScope& scope) noexcept {
  NamedBy named(block.named_by);
  if (named.is(scope.mark())) [[likely]]
    return;
  // Relaxed: it only turns true; a thread that sees it late writes it once more.
  if (!__atomic_load_n(&block.named_outside, __ATOMIC_RELAXED)) note_place(block, scope);
  named.note(scope.mark());
}

[[noreturn, gnu::cold]] void refuse_block(const data::Block* block, std::size_t item) {
  if (block == nullptr) {
    throw Error(
        fmt::format("item {} of a footprint is a block or an array that was moved from: name the one that it was "
                    "moved to; or a tile of another rank: spawn the task by Ranks::spawn()",
                    item + 1));
  }
  throw Error(fmt::format("item {} of a footprint is block {:?}, whose runtime {}", item + 1, block->name,
                          block->owner == nullptr
                              ? "has ended: make a runtime before its blocks, and destroy it after them"
                              : "is another one: spawn the task there, or make the block in this one"));
}

}  // namespace

std::optional<Namers> wait_for_namers(NamedBy named, const Access* access) noexcept {
  const std::uint64_t seen = named.take();
  if (seen == 0) return std::nullopt;
  const platform::ExceptionsApart apart;
  std::optional<Namers> left = wait_for_mark(seen, access);
  if (left) named.note(seen);  // they have not been waited for
  return left;
}

std::optional<Namers> wait_for_namers(const Partition& watched) noexcept {
  NamedBy named(watched.named_by);
  if (named.seen() != NamedBy::kSeveralRuntimes) return wait_for_namers(named, nullptr);
  const platform::ExceptionsApart apart;
  bool all = true;
  for (const std::uint64_t mark : naming_runtimes(watched).take()) all = !wait_for_mark(mark, nullptr) && all;
  if (all) return std::nullopt;
  return Namers{Visit(), nullptr};
}

void keep(const Namers& namers, Kept::Object object) noexcept {
  State* const state = namers.runtime.state();
  if (state == nullptr) return;  // for ever: nothing tells when all those runtimes' tasks have ended
  object.scope = namers.scope;
  state->kept.keep(std::move(object));
  state->kept.collect(*state->scheduler);
}

void report_untaken(const std::exception_ptr& failure) noexcept {
  std::string text;
  try {
    text = text_of(failure);
  } catch (const std::exception&) {  // no memory, or what() gives none
  }
  std::fprintf(stderr, "weir: a task failed and no wait() took its exception: %s\n", text.c_str());
}

void end_what_is_left(Worker& guest) noexcept {
  SpawnScope* const left = SpawnScope::of(guest.root_scope());
  if (left == nullptr) return;
  const platform::ExceptionsApart apart;
  if (left->unfinished() != 0) wait_for_children(guest, *left);
  left->forget_footprints(SpawnScope::Keeps::nothing);
  if (const std::exception_ptr failure = left->take_failure()) report_untaken(failure);
}

void wait_for_all(State& state, Worker& worker) {
  for (const TaskRef ref : unfinished_tasks(*state.scheduler)) wait_for_task(worker, ref);
}

// ---- Who made a block ----

void note_maker(State& state, data::Block& block) noexcept {
  const Worker* const worker = find_worker_in(state);
  Task* const task = worker == nullptr ? nullptr : const_cast<Worker*>(worker)->frame().task;
  block.maker = task;
  if (task != nullptr) block.maker_generation = task->ref().generation;
  block.named_outside = task == nullptr;
}

bool is_named_below(State& state, const data::Block& block) noexcept {
  Worker* const worker = find_worker_in(state);
  // Relaxed: whoever names the block elsewhere does so before this by the program's own order.
  if (worker == nullptr || __atomic_load_n(&block.named_outside, __ATOMIC_RELAXED)) return false;
  return is_maker(block, worker->frame().task);
}

std::vector<TaskRef> older_than(State& state, const data::Block& block) {
  std::vector<TaskRef> older;
  Worker* const worker = find_worker_in(state);
  if (worker == nullptr || block.maker == nullptr) return older;
  for (Task* task = worker->frame().task; task != nullptr; task = task->scope->parent())
    if (!older.empty() || is_maker(block, task)) older.push_back(task->ref());
  return older;
}

data::Store* name_blocks(SpawnScope& scope, std::span<const Access> footprint) {
  const State* const state = scope.owner()->scheduler().owner;
  data::Store* store = nullptr;
  for (std::size_t i = 0; i < footprint.size(); ++i) {
    if (!footprint[i].is_block()) continue;
    detail::BlockBase* const base = detail::block_of(footprint[i]);
    data::Block* const block = base == nullptr ? nullptr : &data::block_of(*base);
    if (block == nullptr || block->owner != state) [[unlikely]]
      refuse_block(block, i);
    note_named(*block, scope);
    store = block->store;
  }
  return store;
}

}  // namespace weir::runtime
