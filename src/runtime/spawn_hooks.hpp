// SPDX-License-Identifier: Apache-2.0

// What surrounds a task with blocks, commutative or reducing accesses: its blocks' places, its locks, its private
// copies.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "data/block.hpp"
#include "runtime/exclusion.hpp"
#include "runtime/reduction.hpp"
#include "sched/task.hpp"

namespace weir::runtime {

// All hooks that a layer gives to tasks, the C++ API and others, are of this class.
class BlockHooks : public sched::TaskHooks {
 public:
  // What the task asks of the data layer; null when it has no blocks, or none that move.
  virtual data::Request* request() noexcept = 0;
};

class SpawnHooks final : public BlockHooks {
 public:
  // The spawning thread, before the task is submitted.
  void add_lock(ExclusionLock* lock);
  void add_reduction(ReductionGroup* group) { reductions_.push_back({group, group->join(), nullptr}); }

  void add_request(std::unique_ptr<data::Request> request) { request_ = std::move(request); }
  data::Request* request() noexcept override { return request_.get(); }

  bool on_ready(sched::Worker& worker, sched::Task& task) noexcept override;
  bool try_begin(sched::Worker& worker, sched::Task& task) noexcept override;
  void end(sched::Worker& worker, sched::Task& task) noexcept override;

  // Any thread that keeps the task from ending: the lock that it waits for, or null.
  ExclusionLock* waits_at() const noexcept { return waits_at_.seen(); }

  // The running task's private copy for its index-th reduction.
  void* copy(std::uint32_t index) {
    Reduction& r = reductions_[index];
    if (r.copy == nullptr) r.copy = r.group->take(r.member);
    return r.copy;
  }

 private:
  struct Reduction {
    ReductionGroup* group;
    std::size_t member;
    void* copy;
  };
  bool ask_for_blocks(sched::Worker& worker, sched::Task& task);
  bool begin_blocks(sched::Worker& worker, sched::Task& task);
  bool acquire(sched::Worker& worker, sched::Task& task, ExclusionLock& lock) noexcept;
  void end_lock_wait(sched::Worker& worker, sched::Task& task) noexcept;

  std::unique_ptr<data::Request> request_;
  bool asked_ = false;                              // for the blocks; written by whoever holds the task
  bool begun_ = false;                              // they are in place for good; likewise
  std::vector<ExclusionLock*> locks_;               // by address, no duplicates
  std::uint64_t lock_wait_since_ = 0;               // ticks; 0: it does not wait at one, or nothing is traced
  const char* lock_holder_ = nullptr;               // that it found there: name for the trace
  std::size_t acquired_ = 0;                        // of locks_; written by whoever holds the task
  base::Shown<ExclusionLock*> waits_at_ = nullptr;  // written by whoever holds the task
  std::vector<Reduction> reductions_;               // in the order of the footprint
};

// Of a task of any layer; null when it has none. Whoever holds the task, or runs inside of it.
data::Request* request_of(const sched::Task& task) noexcept;
// Of the nearest of the task and those it was made in that has one; null: none has. Whoever runs inside of it.
data::Request* request_around(const sched::Task* task) noexcept;

}  // namespace weir::runtime
