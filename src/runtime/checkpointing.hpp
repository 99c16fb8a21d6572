// SPDX-License-Identifier: Apache-2.0

// Checkpointing: a runtime that writes checkpoints, or goes on from one.
//
// It sees every task that the program spawns outside of tasks (submit_observed(), spawn.cpp), and every wait there, and
// does what its Course says: tasks are skipped, blocks are written to files or read from there, by tasks of its own.
// The thread that made the runtime, but for skips() and note_task().
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/course.hpp"
#include "data/block.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/spawn_scope.hpp"
#include "sched/worker.hpp"
#include "weir/detail/block.hpp"

namespace weir::runtime {

class Checkpointing {
 public:
  // Null: the options ask for none. Throws weir::Error.
  static std::unique_ptr<Checkpointing> open(Runtime& runtime, State& state, const Options& options);
  Checkpointing(Runtime& runtime, State& state, std::unique_ptr<checkpoint::Course> course);
  ~Checkpointing();  // says when the program has ended before the place where it was to go on

  // Of any runtime: whether one is, or was, on its way to where it goes on. What spawns of blocks look at first.
  // Relaxed: it is set before a runtime that restarts is handed to the program.
  static bool any_restarts() noexcept { return any_restarts_.load(std::memory_order_relaxed); }
  // Whether tasks that are spawned in `scope` have run before the checkpoint, and do not now.
  bool skips(const SpawnScope& scope) const noexcept;
  // A task is spawned; returns skips(scope).
  bool note_task(const SpawnScope& scope, const char* name, std::span<const Access> footprint) noexcept;
  // A block ends: adopted memory has its contents from then on, and no checkpoint has them. Any thread.
  void note_end(const data::Block& block) noexcept;

  // A wait of the calling thread, outside of tasks, is about to throw what a task has thrown.
  void note_failure(const std::exception_ptr& failure);
  // All tasks of the calling thread, outside of tasks, have ended. `asked`: a checkpoint, whatever the clock says.
  // Throws weir::Error.
  void at_wait(bool asked);
  checkpoint::Variables& variables() noexcept { return course_->variables(); }

 private:
  void restore();
  void write();
  base::Status write_image(const std::vector<data::Block*>& blocks);
  // Those that live, in the order in which the program has made them.
  std::vector<data::Block*> blocks() const;

  // Of a spawn outside of tasks: whether it has its place in the program's order. Notes where it has none.
  static bool is_in_order(sched::Worker& worker) noexcept {
    return worker.index() == 0 && worker.frame().outer == nullptr;
  }
  [[gnu::noinline]] void note_out_of_order(const sched::Worker& worker) noexcept;
  [[gnu::noinline]] void note_skipped(const char* task, std::span<const Access> footprint) noexcept;
  static void note_block(checkpoint::Submission::Items& blocks, const Access& item) noexcept {
    data::Block& block = data::block_of(*detail::block_of(item));
    blocks.note(block.made, static_cast<unsigned>(item.mode));
    if (writes(item.mode) && !block.written_outside) block.written_outside = true;
  }
  [[gnu::noinline]] void note_items(const char* task, std::span<const Access> items) noexcept;

  static inline std::atomic<bool> any_restarts_{false};

  Runtime& runtime_;
  State& state_;
  const std::unique_ptr<checkpoint::Course> course_;
  bool own_ = false;                       // what is spawned and waited for is not the program's
  std::atomic<bool> others_spawn_{false};  // other threads of the program
  std::atomic<bool> halves_spawn_{false};  // halves of fork_join() that were taken from where they were made
  std::atomic<bool> others_end_{false};    // or tasks: adopted blocks that tasks have written
};

// Part of the spawn: between two checkpoints, what it takes is what they cost.
[[gnu::always_inline]] inline bool Checkpointing::note_task(const SpawnScope& scope, const char* name,
                                                            std::span<const Access> footprint) noexcept {
  if (scope.parent() != nullptr || own_) return false;
  if (!is_in_order(*scope.owner())) [[unlikely]] {
    note_out_of_order(*scope.owner());
    return false;
  }
  checkpoint::Course& course = *course_;
  course.note_task(name);
  const Access *item = footprint.data(), *const end = item + footprint.size();
  {
    checkpoint::Submission::Items blocks = course.note_items();
    for (; item != end && item->is_block(); ++item) note_block(blocks, *item);
  }
  if (item != end) note_items(name, {item, end});
  if (!course.restarting()) return false;
  note_skipped(name, footprint);
  return true;
}

}  // namespace weir::runtime
