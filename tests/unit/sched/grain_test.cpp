// SPDX-License-Identifier: Apache-2.0

// What a worker measures of its tasks, on a scheduler without threads of its own: the test plays the other workers.
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "platform/clock.hpp"
#include "sched/scheduler.hpp"

namespace weir::sched {
namespace {

constexpr int kElsewhere = 32;  // children that others end, reported at once
constexpr std::uint64_t kTaskNs = 2000;

void take(std::uint64_t ns) {
  const std::uint64_t until = platform::now_ns() + ns;
  while (platform::now_ns() < until) platform::spin_pause();
}

// Takes its time, while others report what they have ended.
void run_while_others_report(void*, Task* task, Invoke) {
  take(kTaskNs);
  static_cast<void>(task->scope->subtract(kElsewhere));
}
void run_briefly(void*, Task*, Invoke) {}

class TaskGrain : public ::testing::Test {
 protected:
  TaskGrain() {
    Options options;
    options.workers = 1;
    const auto machine = machine::Machine::from_description("core:1 pu:1");
    auto started = Scheduler::start(*machine, options, std::uint64_t{1} << 48);
    scheduler_ = std::move(*started);
    scope_.open(&worker(), nullptr);
  }
  Worker& worker() { return scheduler_->first_worker(); }
  void spawn(InvokeFunction invoke) {
    Task* const task = worker().heap().allocate(0, &scope_);
    TaskHeap::open(*task);
    task->invoke = invoke;
    task->site = nullptr;
    scope_.count_spawned();
    worker().submit(task);
  }
  // Throttles where one report is enough to go on.
  void throttle() {
    scope_.set_limit(scope_.unfinished() - 1);
    worker().throttle(scope_);
  }

  std::unique_ptr<Scheduler> scheduler_;
  Scope scope_;
};

TEST_F(TaskGrain, IsMeasuredOnTheTasksThatTheWorkerItselfHasRun) {
  for (int i = 0; i < kElsewhere; ++i) scope_.count_spawned();
  spawn(&run_while_others_report);  // a thread outside of tasks runs the oldest first
  for (int i = 0; i < 8; ++i) spawn(&run_briefly);
  throttle();
  EXPECT_GE(worker().grain_ns(), kTaskNs) << "one task was run, however many have ended";
  worker().wait_for_children(scope_);
}

TEST_F(TaskGrain, EstimateIsKeptWhileOthersRunEverything) {
  spawn(&run_briefly);
  for (int i = 0; i < kElsewhere; ++i) scope_.count_spawned();
  scope_.set_limit(scope_.unfinished());
  const std::uint64_t before = worker().grain_ns();
  static_cast<void>(scope_.subtract(kElsewhere));
  worker().throttle(scope_);
  EXPECT_EQ(worker().grain_ns(), before) << "nothing was run, so nothing was learnt";
  worker().wait_for_children(scope_);
}

TEST_F(TaskGrain, IsUnknownOnceAllChildrenWereWaitedFor) {
  for (int i = 0; i < 40; ++i) spawn(&run_briefly);
  throttle();
  EXPECT_NE(worker().grain_ns(), policy::kUnknownGrain);
  worker().wait_for_children(scope_);
  EXPECT_EQ(worker().grain_ns(), policy::kUnknownGrain);
}

}  // namespace
}  // namespace weir::sched
