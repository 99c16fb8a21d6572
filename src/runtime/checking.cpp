// SPDX-License-Identifier: Apache-2.0

#include "runtime/checking.hpp"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/mutex.hpp"
#include "data/block.hpp"
#include "platform/held_at_fork.hpp"
#include "weir/error.hpp"

namespace weir::runtime {

using sched::Task;

namespace {

struct Checked {
  check::TaskRecord* record;
  detail::InvokeFunction invoke;
};

// Tasks of checked programs that have not run, by their memory.
class Announced {
 public:
  void put(const Task* task, Checked checked) {
    const base::Lock lock(mutex_);
    tasks_[task] = checked;
  }
  // What it was spawned with; null when it has run.
  detail::InvokeFunction invoke_of(const Task* task) {
    const base::Lock lock(mutex_);
    const auto found = tasks_.find(task);
    return found == tasks_.end() ? nullptr : found->second.invoke;
  }
  base::Mutex& mutex() noexcept { return mutex_; }
  Checked take(const Task* task) {
    const base::Lock lock(mutex_);
    const auto found = tasks_.find(task);
    const Checked checked = found->second;
    tasks_.erase(found);
    return checked;
  }

 private:
  base::Mutex mutex_;
  std::unordered_map<const Task*, Checked> tasks_ WEIR_GUARDED_BY(mutex_);
};

Announced& announced() {
  static Announced* const the_announced = new Announced;  // tasks may run during static destruction
  return *the_announced;
}

[[maybe_unused]] const bool kAnnouncedAtFork =
    platform::hold_at_fork([]() -> base::Mutex& { return announced().mutex(); });

class Running {
 public:
  explicit Running(check::TaskRecord* record) : record_(record), exceptions_(std::uncaught_exceptions()) {
    check::hooks().begin(*record_);
  }
  ~Running() { check::hooks().end(record_, std::uncaught_exceptions() == exceptions_); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  check::TaskRecord* record_;
  int exceptions_;
};

[[gnu::noinline]] void run_in_hands(const Checked& checked, void* closure, Task* self) {
  const Running running(checked.record);
  checked.invoke(closure, self, detail::Invoke::run);
}

// Between the frames of whoever waits, where a task's memory may be, and those of the task there is a page and more.
[[gnu::noinline]] void run_apart(const Checked& checked, void* closure, Task* self) {
  volatile char apart[3 * check::kPageBytes];
  apart[0] = 0;
  run_in_hands(checked, closure, self);
  apart[sizeof apart - 1] = 0;
}

void invoke_checked(void* closure, Task* self, detail::Invoke what) {
  if (what == detail::Invoke::describe) {
    if (const detail::InvokeFunction invoke = announced().invoke_of(self)) invoke(closure, self, what);
    return;
  }
  const Checked checked = announced().take(self);
  if (what == detail::Invoke::run) return run_apart(checked, closure, self);
  check::hooks().drop(checked.record);
  checked.invoke(closure, self, what);
}

check::Extent extent_of(const detail::BlockLayout& layout, const void* base) noexcept {
  return {reinterpret_cast<std::uintptr_t>(base),
          layout.run_bytes,
          {layout.counts[0], layout.counts[1]},
          {layout.strides[0], layout.strides[1]}};
}

check::Item item_of(const Access& access) {
  check::Item item;
  item.mode = access.mode;
  item.writes = writes(access.mode) && access.mode != Mode::reduce;
  item.reads = access.mode != Mode::reduce;
  item.out = access.mode == Mode::out;
  if (access.mode == Mode::concurrent) item.sharing = check::Sharing::concurrent;
  if (access.mode == Mode::commutative) item.sharing = check::Sharing::commutative;
  const Region& region = access.region;
  if (access.is_block()) {
    const data::Block& block = data::block_of(*detail::block_of(access));
    // Relaxed: a checked block has one address, which the thread that spawns has been handed with it.
    item.extent = extent_of(block.layout, block.address.load(std::memory_order_relaxed));
  } else if (region.rows == 1) {
    item.extent = {reinterpret_cast<std::uintptr_t>(region.base), region.row_bytes};
  } else {
    item.extent = {
        reinterpret_cast<std::uintptr_t>(region.base), region.row_bytes, {1, region.rows}, {0, region.stride_bytes}};
  }
  return item;
}

}  // namespace

void submit_checked(SpawnScope& scope, Task& task, std::span<const Access> footprint,
                    std::span<const detail::TaskRef> after) {
  const check::Pause pause;
  std::vector<check::Item> items;
  for (std::size_t i = 0; i < footprint.size(); ++i) {
    items.push_back(item_of(footprint[i]));
    items.back().index = static_cast<std::uint32_t>(i);
    if (footprint[i].partition != nullptr) check::hooks().watch_array(&scope, *footprint[i].partition);
  }
  std::vector<std::uint64_t> comes_after;
  for (const detail::TaskRef ref : after)
    if (ref.task != nullptr) comes_after.push_back(sched::trace_id(ref));
  check::TaskRecord* const record =
      check::hooks().announce({&scope, task.note.name(), task.site, reinterpret_cast<std::uintptr_t>(task.invoke.get()),
                               items, footprint, comes_after, sched::trace_id(task.ref())});
  announced().put(&task, {record, task.invoke});
  task.invoke = &invoke_checked;
  scope.submit(task, footprint, after);
}

// What is thrown out of the first part is on its way when the half is asked for.
bool fork_checked(detail::ForkHalf& half, const sched::Scope* scope) {
  if (!check::hooks().follows_forks()) return false;
  // Relaxed, both: under weir check a half stays on the thread that made it.
  half.state.store(static_cast<std::uint32_t>(std::uncaught_exceptions()), std::memory_order_relaxed);
  check::hooks().fork(&half, scope);
  return true;
}

bool join_checked(detail::ForkHalf& half, const sched::Scope* scope) noexcept {
  // Relaxed: fork_checked() on this thread has written it.
  const auto before = static_cast<int>(half.state.load(std::memory_order_relaxed));
  const bool failed = std::uncaught_exceptions() > before;
  if (!failed) {
    check::hooks().second_part(&half);
    try {
      half.run(&half);
    } catch (...) {
      half.exception = std::current_exception();
    }
  }
  check::hooks().join(&half, scope);
  return failed;  // nobody has run it, and nobody will
}

detail::BlockBase* make_checked_block(const detail::BlockLayout& layout, void* program, const char* name) {
  auto block = std::make_unique<data::Block>();
  block->bytes = layout.bytes();
  block->name = name != nullptr ? name : "";
  block->layout = program != nullptr ? layout : detail::contiguous(layout.bytes());
  void* const address = program != nullptr ? program : check::hooks().allocate_block(layout.bytes(), name);
  if (address == nullptr)
    throw Error(fmt::format("block {}: no memory for {} bytes under weir check", block->name, layout.bytes()));
  block->program = program;
  // Relaxed: the block is handed on by the program's own order, or with a task.
  block->address.store(address, std::memory_order_relaxed);
  return block.release();
}

void drop_checked_block(detail::BlockBase* base) noexcept {
  const std::unique_ptr<data::Block> block(&data::block_of(*base));
  // Relaxed: whoever destroys a block comes after all that has changed it.
  void* const address = block->address.load(std::memory_order_relaxed);  // null: its runtime has ended
  if (block->program == nullptr && address != nullptr) check::hooks().free_block(address);
}

}  // namespace weir::runtime
