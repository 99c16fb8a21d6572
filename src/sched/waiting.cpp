// SPDX-License-Identifier: Apache-2.0

// What a worker waits for: its children, fewer children, one task.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <thread>

#include "platform/clock.hpp"
#include "sched/blocking.hpp"
#include "sched/policy/throttle.hpp"
#include "sched/relay.hpp"
#include "sched/scheduler.hpp"
#include "sched/task_text.hpp"
#include "sched/waiter.hpp"
#include "sched/worker.hpp"

namespace weir::sched {

namespace {

// A mistake of the program: it would wait for ever.
[[noreturn, gnu::cold]] void refuse_to_wait_for(const Task& task, const Task* waits) {
  const std::string which = text_of(task) + (task.site == nullptr ? "" : ",");
  const std::string what = waits == &task ? fmt::format("{} waits for itself", which)
                                          : fmt::format("{} waits for {} which waits beneath it, on the same thread",
                                                        name_text_of(waits), which);
  std::fprintf(stderr, "weir: %s: it would never end; wait for children, or use after()\n", what.c_str());
  std::abort();
}

// On another machine it may have to wait.
[[gnu::cold, gnu::noinline]] void note_no_wait(trace::Track& track, TaskRef ref) noexcept {
  if (ref.task != nullptr) track.wait(trace::Track::now(), trace::WaitFor::task, trace_id(ref));
}

class ChildrenEnded final : public Condition {
 public:
  explicit ChildrenEnded(Scope& scope) noexcept : scope_(scope) {}
  bool done() noexcept override { return scope_.unfinished() == 0; }
  bool prepare_to_sleep() noexcept override { return scope_.arm_for_wait() == Scope::Done::no; }
  trace::WaitFor what() const noexcept override { return trace::WaitFor::children; }
  std::uint64_t whose() const noexcept override { return trace_id_of(scope_.parent()); }
  std::uintptr_t subject() const noexcept override { return subject_of(what(), &scope_); }

 private:
  Scope& scope_;
};

class OthersEnded final : public Condition {
 public:
  explicit OthersEnded(Scope& scope) noexcept : scope_(scope) {}
  bool done() noexcept override { return scope_.unfinished() == 0; }
  bool prepare_to_sleep() noexcept override {
    std::this_thread::yield();
    return false;
  }
  trace::WaitFor what() const noexcept override { return trace::WaitFor::children; }
  std::uint64_t whose() const noexcept override { return trace_id_of(scope_.parent()); }
  std::uintptr_t subject() const noexcept override { return subject_of(what(), &scope_); }

 private:
  Scope& scope_;
};

class FewChildren final : public Condition {
 public:
  FewChildren(const Worker& worker, Scope& scope, const policy::Room& room) noexcept
      : worker_(worker), scope_(scope), room_(room) {}
  ~FewChildren() {
    if (notified_) scope_.notify_progress(false);
  }
  bool done() noexcept override {
    const std::int64_t unfinished = scope_.unfinished();
    return unfinished <= room_.with_none_at_hand && spawns_again(unfinished);
  }
  bool prepare_to_sleep() noexcept override {
    notified_ = true;
    scope_.notify_progress(true);
    note_standstill();
    return !done();
  }
  std::uint64_t longest_sleep_ns() const noexcept override { return policy::kStandstillNs; }
  // None has ended for a while, and no worker has anything to run.
  bool stands_still() const noexcept { return stands_still_; }
  trace::WaitFor what() const noexcept override { return trace::WaitFor::room; }
  std::uint64_t whose() const noexcept override { return trace_id_of(scope_.parent()); }
  std::uintptr_t subject() const noexcept override { return subject_of(what(), &scope_); }

 private:
  // Not a part of the loop that asks done(), which then keeps registers for it.
  [[gnu::noinline]] bool spawns_again(std::int64_t unfinished) const noexcept {
    return policy::spawns_again(room_, unfinished, worker_.queues().has_next() || worker_.has_visible_task());
  }
  void note_standstill() noexcept {
    const std::int64_t unfinished = scope_.unfinished();
    const std::uint64_t now = platform::now_ns();
    if (unfinished != unfinished_) {
      unfinished_ = unfinished;
      since_ns_ = now;
    }
    if (now - since_ns_ < policy::kStandstillNs || !others_rest()) return;
    stands_still_ = true;
    room_.with_none_at_hand = room_.with_some_at_hand = std::numeric_limits<std::int64_t>::max();
  }
  bool others_rest() const noexcept {
    bool rest = true;
    worker_.scheduler().for_each_worker([&](const Worker& each) {
      rest = rest && (&each == &worker_ || each.blocked() || each.rests() || each.idle());
    });
    return rest;
  }

  const Worker& worker_;
  Scope& scope_;
  policy::Room room_;
  bool stands_still_ = false;
  bool notified_ = false;
  std::int64_t unfinished_ = -1;  // when it last was about to sleep, and since when
  std::uint64_t since_ns_ = 0;
};

class TaskEnded final : public Condition {
 public:
  TaskEnded(Worker& worker, TaskRef ref) noexcept
      : worker_(worker), waiter_(worker), ref_(ref), is_own_(ref.task->heap == worker.heap().index()) {
    edge_.target = waiter_.target();
  }
  bool done() noexcept override { return listed_ ? waiter_.done() : has_ended(ref_); }
  bool prepare_to_sleep() noexcept override {
    if (!listed_) {
      refuse_what_waits_beneath();
      listed_ = list();
    }
    return listed_ ? !waiter_.done() : false;
  }
  trace::WaitFor what() const noexcept override { return trace::WaitFor::task; }
  std::uint64_t whose() const noexcept override { return trace_id(ref_); }
  std::uintptr_t subject() const noexcept override { return subject_of(what(), ref_.task); }

 private:
  // Before the thread sleeps, which it comes to where the task cannot end: there may be many frames to look at, and
  // most waits end without a sleep.
  void refuse_what_waits_beneath() const noexcept {
    for (const Frame* frame = &worker_.frame(); frame != nullptr; frame = frame->outer) {
      if (frame->task == ref_.task) [[unlikely]]
        refuse_to_wait_for(*ref_.task, worker_.frame().task);
    }
  }

  // Memory of this thread's own heap is not used again since it has looked. Without memory for a relay it polls.
  bool list() noexcept {
    if (is_own_) return ref_.task->successors.try_add(&edge_, ref_.generation);
    try {
      return Relay::link(ref_, waiter_.target());
    } catch (const std::bad_alloc&) {
      std::this_thread::yield();
      return false;
    }
  }

  Worker& worker_;
  Waiter waiter_;
  Edge edge_{};
  TaskRef ref_;
  bool is_own_;
  bool listed_ = false;  // then the edge must not be given up before the waiter was notified
};

}  // namespace

void Worker::wait_for_children(Scope& scope) noexcept {
  scope.before_wait();
  const std::uint64_t grain = grain_ns();
  queues().forget_grain();
  ChildrenEnded condition(scope);
  if (!condition.done())
    wait_in_order(condition, scope, grain);
  else if (track() != nullptr) [[unlikely]]
    track()->wait(trace::Track::now(), condition.what(), condition.whose());  // on another machine it may have to wait
  scope.reset();
}

void Worker::wait_for_others(Scope& scope) noexcept {
  scope.before_wait();
  OthersEnded condition(scope);
  run_until(condition);
  scope.reset();
}

void Worker::throttle(Scope& scope) noexcept {
  const policy::Ahead limits{scope.limit(), team().options().throttle, team().worker_count()};
  // Relaxed, here and below: only the worker writes its statistics, and this is its thread.
  const std::uint64_t ran_before = statistics().run.load(std::memory_order_relaxed), idle_before = search().idle_ns();
  const std::uint64_t start = platform::now_ns();
  // What waits for this thread to spawn more cannot end in the meantime.
  const std::int64_t open = scope.before_throttle();
  const std::uint64_t grain = grain_ns();
  FewChildren condition(*this, scope, policy::room_within(limits, grain, open));
  wait_in_order(condition, scope, grain);
  if (condition.stands_still()) return scope.set_limit(policy::limit_at_standstill(limits, scope.unfinished()));
  // Relaxed, as above.
  const std::uint64_t ran = statistics().run.load(std::memory_order_relaxed) - ran_before;
  const std::uint64_t busy_ns = platform::now_ns() - start - (search().idle_ns() - idle_before);
  const policy::Drained drained{static_cast<std::int64_t>(ran), busy_ns, queues().lot().someone_idle(),
                                scope.in_order()};
  const std::int64_t base = policy::next_limit({limits.now - scope.further(), limits.most, limits.workers}, drained);
  scope.set_limit(base, policy::further_than(base, limits, drained));
  queues().set_grain(policy::measured_grain(drained, grain));
}

void Worker::wait_for(TaskRef ref) noexcept {
  if (has_ended(ref)) {
    if (track() != nullptr) [[unlikely]]
      note_no_wait(*track(), ref);
    return;
  }
  queues().forget_grain();
  TaskEnded condition(*this, ref);
  wait_until(condition);
}

void Worker::begin_blocking() noexcept {
  queues().give_away();
  flush();
  queues().lot().step_out();
  if (has_visible_task()) queues().wake_for_work();
  presence().set_blocked();
}

}  // namespace weir::sched
