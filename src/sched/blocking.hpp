// SPDX-License-Identifier: Apache-2.0

// Blocking: tasks that wait on a thread of their own, for a layer whose tasks may wait for anything.
//
// In the C++ API a waiting task runs others on top of its stack, which is quick, and safe where it waits for its own
// children. One that waits for an event may not: the event may come while a task on top of it waits for what only it
// will do. Once a scheduler has a Blocking, a task that waits keeps the thread: another worker runs tasks in its place,
// and how many do so at a time is kept by permits (permits.hpp). docs/decisions/0013
#pragma once

#include "base/result.hpp"
#include "sched/worker.hpp"

namespace weir::sched {

// What the layer does where a thread begins and ends to wait, on that thread.
class Blocking {
 public:
  virtual std::uintptr_t begin(Worker& worker) noexcept = 0;
  virtual void end(Worker& worker, std::uintptr_t begun) noexcept = 0;
  // No thread can be had that runs tasks in its place. From now on those that wait run them themselves.
  virtual void refused(const base::Status& why) noexcept = 0;

 protected:
  ~Blocking() = default;
};

template <class C>
void Worker::wait_until(C& condition, const Scope* own) noexcept {
  Blocking* const layer = team().blocking();
  if (layer == nullptr || !block_until(*layer, condition, own)) run_until(condition);
}

template <class C>
void Worker::wait_in_order(C& condition, const Scope& own, std::uint64_t grain_ns) noexcept {
  const bool in_task = frame().outer != nullptr;
  if (team().blocking() != nullptr || !policy::keeps_order({0, grain_ns}, in_task)) return wait_until(condition, &own);
  run_until<policy::Oldness::oldest>(condition);
}

template <class C>
void Worker::serve(C& until) noexcept {
  // Also over when a thread wants to go on and has no permit: after a look at the worker's own tasks and one at those
  // of others, so that tasks have their turn where many threads go on and wait again.
  class Served final : public Condition {
   public:
    Served(C& condition, const Permits& all) noexcept : until_(condition), permits_(all) {}
    bool done() noexcept override { return until_.done() || (++looks_ > 2 && permits_.wanted()); }
    void begin() noexcept { looks_ = 0; }
    bool prepare_to_sleep() noexcept override { return until_.prepare_to_sleep() && !permits_.wanted(); }
    trace::WaitFor what() const noexcept override { return until_.what(); }
    std::uint64_t whose() const noexcept override { return until_.whose(); }

   private:
    C& until_;
    const Permits& permits_;
    std::uint64_t looks_ = 0;
  };
  Served served(until, queues().domain().permits);
  do {
    served.begin();
    run_until(served);
  } while (!until.done() && relieve_another(until));
}

}  // namespace weir::sched
