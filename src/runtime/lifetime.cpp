// SPDX-License-Identifier: Apache-2.0

#include "runtime/lifetime.hpp"

#include <fmt/format.h>

#include <thread>

#include "check/checker.hpp"
#include "sched/worker.hpp"
#include "weir/error.hpp"

namespace weir::runtime {

using detail::TaskRef;
using sched::Task;
using sched::Worker;

namespace {

constexpr std::uint64_t kScopeBits = (std::uint64_t{1} << kNumberShift) - 1;
constexpr std::uint64_t kSeveral = 1;  // scopes, of one runtime
constexpr std::uint64_t kSeveralRuntimes = ~std::uint64_t{0};

std::vector<TaskRef> unfinished_tasks(State& state) {
  std::vector<TaskRef> refs;
  state.scheduler->for_each_worker([&](const Worker& worker) {
    const sched::TaskHeap& heap = const_cast<Worker&>(worker).heap();
    heap.for_each_slot([&](Task& task) {
      const TaskRef ref = task.ref();
      if (ref.generation == heap.first_generation() || sched::has_ended(ref)) return;
      // The folding of a reduction waits for the thread that has spawned its members to spawn more, or to wait.
      if (SpawnScope::name_of_own(task.invoke.seen()) == nullptr) refs.push_back(ref);
    });
  });
  return refs;
}

void wait_for_task(Worker& worker, TaskRef ref) {
  if (!check::active()) return worker.wait_for(ref);
  {
    const check::WaitPause pause;
    worker.wait_for(ref);
  }
  const check::Pause pause;
  check::waited_for(worker.frame().children, sched::trace_id(ref));
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

void wait_in(State& state, std::uint64_t scope, const Access* access) noexcept {
  Worker* const worker = find_worker_in(state);
  if (worker == nullptr) {  // a thread that has no part in the runtime
    for (const TaskRef ref : unfinished_tasks(state))
      while (!sched::has_ended(ref)) std::this_thread::yield();
    return;
  }
  const sched::Frame& frame = worker->frame();
  auto* const own = static_cast<SpawnScope*>(static_cast<sched::Scope*>(frame.children));
  const bool is_own = own != nullptr && reinterpret_cast<std::uintptr_t>(own) == scope;
  if (own != nullptr) wait_in_own_scope(*worker, *own, is_own ? access : nullptr);
  if (!is_own && frame.outer == nullptr) wait_for_all(state, *worker);
}

[[noreturn, gnu::cold]] void refuse_block(const data::Block* block, std::size_t item) {
  if (block == nullptr) {
    throw Error(
        fmt::format("item {} of a footprint is a block or an array that was moved from: name the one that it was "
                    "moved to",
                    item + 1));
  }
  throw Error(fmt::format("item {} of a footprint is block {:?}, whose runtime {}", item + 1, block->name,
                          block->owner == nullptr
                              ? "has ended: make a runtime before its blocks, and destroy it after them"
                              : "is another one: spawn the task there, or make the block in this one"));
}

}  // namespace

void NamedBy::note_slow(std::uint64_t mark) noexcept {
  std::uint64_t seen = __atomic_load_n(word_, __ATOMIC_RELAXED);
  for (;;) {
    std::uint64_t next = mark;
    if (seen != 0) next = (seen ^ mark) >> kNumberShift == 0 ? (mark & ~kScopeBits) | kSeveral : kSeveralRuntimes;
    if (seen == next || __atomic_compare_exchange_n(word_, &seen, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return;
  }
}

void NamedBy::wait(const Access* access) noexcept {
  const std::uint64_t seen = __atomic_exchange_n(word_, 0, __ATOMIC_RELAXED);
  if (seen == 0) return;
  if (seen == kSeveralRuntimes) return for_each_live([](State& state) { wait_in(state, kSeveral, nullptr); });
  if (State* const state = find_live(seen >> kNumberShift)) wait_in(*state, seen & kScopeBits, access);
}

void wait_for_all(State& state, Worker& worker) {
  for (const TaskRef ref : unfinished_tasks(state)) wait_for_task(worker, ref);
}

data::Store* name_blocks(SpawnScope& scope, std::span<const Access> footprint) {
  const sched::Scheduler* const scheduler = &scope.owner()->scheduler();
  data::Store* store = nullptr;
  for (std::size_t i = 0; i < footprint.size(); ++i) {
    if (!footprint[i].is_block()) continue;
    detail::BlockBase* const base = detail::block_of(footprint[i]);
    data::Block* const block = base == nullptr ? nullptr : &data::block_of(*base);
    if (block == nullptr || block->owner != scheduler) [[unlikely]]
      refuse_block(block, i);
    NamedBy(block->named_by).note(scope);
    store = block->store;
  }
  return store;
}

}  // namespace weir::runtime
