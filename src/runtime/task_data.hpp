// SPDX-License-Identifier: Apache-2.0

// TaskData: what a task needs of its data around its function: blocks in place, exclusion locks, private copies.
//
// The one adapter from a task to its blocks, for every front end: a task that waits for data has a TaskData with a
// request, and that stands between its becoming ready, its beginning and its end on one side and the store on the
// other. The task owns it. Whoever holds the task uses it, unless a function says otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include "data/block.hpp"
#include "runtime/exclusion.hpp"
#include "runtime/reduction.hpp"
#include "sched/task.hpp"

namespace weir::sched {
class Scheduler;
}

namespace weir::runtime {

class TaskData : public sched::TaskHooks {
 public:
  // What follows when the blocks cannot be had.
  enum class OnFailure : std::uint8_t {
    fail_scope,  // the task does not run, and its scope fails
    run,         // the task's function finds the failure in the request
  };

  // The task's; null when it has none.
  static TaskData* of(const sched::Task& task) noexcept {
    const sched::TaskExtra* const extra = task.note.extra();
    return extra == nullptr ? nullptr : cast(extra->hooks);
  }
  // The same for any thread that keeps the task from ending.
  static TaskData* seen_of(const sched::Task& task) noexcept;
  // The task's, which gets one when it has none. Its spawner, before it is submitted. Throws std::bad_alloc.
  static TaskData& made_for(sched::Task& task);
  // The task, which has none, gets one with a request, which is not registered yet: the caller names its blocks. The
  // same. `store`: null of a task that will not run.
  static TaskData& with_request(sched::Task& task, data::Store* store, sched::Scheduler& scheduler, OnFailure failure);

  // What the task asks of the store; null when it has no blocks, or none that move.
  data::Request* request() noexcept { return blocks_ == nullptr ? nullptr : &blocks_->request; }
  // The same when the store knows of it.
  data::Request* registered() noexcept {
    return blocks_ == nullptr || blocks_->request.sequence == 0 ? nullptr : &blocks_->request;
  }
  data::Store& store() noexcept { return *blocks_->store; }
  // By which the store names it to those who ask who waits; null when it has no request.
  const data::Requester* requester() const noexcept { return blocks_; }
  // Its blocks may leave. Once; end() does it where the layer above has not.
  void finish() noexcept;

  void add_lock(ExclusionLock* lock);
  void add_reduction(ReductionGroup* group) { reductions_.push_back({group, group->join(), nullptr}); }
  // The running task's private copy for its index-th reduction.
  void* copy(std::uint32_t index) {
    Reduction& r = reductions_[index];
    if (r.copy == nullptr) r.copy = r.group->take(r.member);
    return r.copy;
  }
  // Any thread that keeps the task from ending: the lock that it waits for, or null.
  ExclusionLock* waits_at() const noexcept { return waits_at_.seen(); }

  bool on_ready(sched::Worker& worker, sched::Task& task) noexcept final;
  bool try_begin(sched::Worker& worker, sched::Task& task) noexcept final;
  void end(sched::Worker& worker, sched::Task& task) noexcept final;

 private:
  class WithRequest;
  struct Blocks final : data::Requester {
    void staged(data::Request& staged_request) noexcept override;
    data::Request request;
    data::Store* store = nullptr;
    sched::Scheduler* scheduler = nullptr;
    sched::Task* task = nullptr;
    OnFailure on_failure = OnFailure::fail_scope;
    bool asked = false;  // for the blocks; written by whoever holds the task
    bool begun = false;  // they are in place for good; likewise
  };
  struct Reduction {
    ReductionGroup* group;
    std::size_t member;
    void* copy;
  };
  TaskData() noexcept : TaskHooks(sched::HooksKind::task_data) {}
  static TaskData* cast(sched::TaskHooks* hooks) noexcept;
  bool ask_for_blocks(sched::Worker& worker, sched::Task& task);
  bool begin_blocks(sched::Worker& worker, sched::Task& task);
  bool acquire(sched::Worker& worker, sched::Task& task, ExclusionLock& lock) noexcept;
  void end_lock_wait(sched::Worker& worker, sched::Task& task) noexcept;

  Blocks* blocks_ = nullptr;                        // in the same memory; null: it has no request
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
