// SPDX-License-Identifier: Apache-2.0

// How a thread waits whose place another takes, and how threads without a permit get one.
#include "sched/blocking.hpp"

#include <sched.h>

#include "platform/clock.hpp"
#include "platform/thread_state.hpp"

namespace weir::sched {

bool Worker::block_until(Blocking& layer, Condition& condition, const Scope* own) noexcept {
  if (condition.done()) return true;
  const std::uintptr_t begun = layer.begin(*this);
  const Rest outer_rest = rest_.load(std::memory_order_relaxed);
  rest_.store(Rest::none, std::memory_order_relaxed);
  Frame& frame = *frame_;
  const std::uintptr_t outer_wait = frame.waits_for;
  frame.waits_for = condition.subject();
  const std::uint64_t start = track_ == nullptr ? 0 : trace::Track::now();
  if (own != nullptr) run_children(condition, *own);
  give_away_tasks();
  base::Status status = base::Status::success();
  while (status && waits_beside_work(condition)) status = give_up_permit(condition, false);
  const bool done = condition.done();
  if (track_ != nullptr) track_->wait(start, condition.what(), condition.whose());
  frame.waits_for = outer_wait;
  rest_.store(outer_rest, std::memory_order_release);
  layer.end(*this, begun);
  if (!status) layer.refused(status);
  return done;
}

void Worker::let_others_run() noexcept {
  // True as soon as the permit is away: the thread asks for one at once, behind those who have asked before.
  class Moment final : public Condition {
   public:
    bool done() noexcept override { return given_up_; }
    bool prepare_to_sleep() noexcept override { return given_up_ = true; }

   private:
    bool given_up_ = false;
  };
  Blocking* const layer = scheduler_->blocking();
  give_away_tasks();
  if (layer == nullptr || !(has_visible_task() || sees_work())) {
    sched_yield();
    return;
  }
  const std::uintptr_t begun = layer->begin(*this);
  Moment moment;
  const base::Status status = give_up_permit(moment, true);
  layer->end(*this, begun);
  if (!status) layer->refused(status);
}

// What the waiting task waits for may run on top of it, whatever that waits for.
void Worker::run_children(Condition& condition, const Scope& own) noexcept {
  if (!hand_.empty()) give_away_hand();
  while (!condition.done()) {
    if (next_ != nullptr) give_away_next();
    const Item item = deque_.pop();
    if (item == 0) return;
    if ((item & StealDeque::kAlone) != 0 || reinterpret_cast<const Task*>(item)->scope != &own) return push(item);
    track_ == nullptr ? run<false>(item) : run<true>(item);
  }
}

void Worker::give_away_tasks() noexcept {
  if (next_ != nullptr) give_away_next();
  if (!hand_.empty()) give_away_hand();
  flush();
  if (next_ != nullptr) give_away_next();
  if (has_visible_task()) wake_for_work();
}

// As a worker that looks for work, and takes none. True: there is some; false: the condition is true, or the threads
// stop, and what is left to run the waiting one runs itself.
bool Worker::waits_beside_work(Condition& condition) noexcept {
  const std::uint64_t look_for =
      scheduler_->oversubscribed() ? 0 : static_cast<std::uint64_t>(scheduler_->options().park_after) * 1000;
  lot_->start_searching();
  std::uint64_t start = platform::now_ns();
  bool work = false;
  while (!condition.done() && !scheduler_->stopping() && !(work = has_visible_task() || sees_work())) {
    if (platform::now_ns() - start < look_for) {
      for (int i = 0; i < 16; ++i) platform::spin_pause();
    } else if (sleep_unless(condition, false)) {
      start = platform::now_ns();
    } else {
      sched_yield();
    }
  }
  static_cast<void>(found(0));
  return work && !scheduler_->stopping() && !condition.done();
}

// Another thread has its permit from now on. Returns with one again, because of the condition or something else.
base::Status Worker::give_up_permit(Condition& condition, bool tasks_first) noexcept {
  if (!condition.prepare_to_sleep()) return base::Status::success();
  Permits& permits = queues_->permits;
  const bool tasks = has_visible_task() || sees_tasks();
  PermitHolder* receiver = tasks && tasks_first ? permits.take_spare() : permits.take_receiver(tasks);
  if (receiver == nullptr) {
    if (!tasks) return base::Status::success();  // others were quicker
    base::Result<Worker*> spare = scheduler_->start_spare(domain_);
    if (!spare) return spare.status();
    receiver = &(*spare)->permit_;
  }
  rest_.store(Rest::asleep, std::memory_order_release);
  permit_.state.exchange(PermitHolder::kGivenUp, std::memory_order_acq_rel);  // PERMIT-1
  receiver->grant();
  if ((condition.done() || scheduler_->stopping()) && permit_.notify()) ask_for_permit();
  while (!permit_.has()) sleeper_.parker.park();
  rest_.store(Rest::none, std::memory_order_relaxed);
  return base::Status::success();
}

// Whoever has a permit and sleeps, if anyone does, passes it on; the others look when they have run what they run.
void Worker::ask_for_permit() noexcept {
  if (!queues_->permits.ask(permit_)) lot_->wake_in_domain(domain_);
}

// A thread that wants to go on gets the permit. Returns with one again, or false: the worker is not needed any more.
bool Worker::relieve_another(Condition& until) noexcept {
  PermitHolder* const other = queues_->permits.relieve(permit_);
  if (other == nullptr) return true;
  if (has_visible_task()) wake_for_work();
  other->grant();
  return wait_as_spare(until);
}

bool Worker::wait_as_spare(Condition& until) noexcept {
  rest_.store(Rest::asleep, std::memory_order_release);
  while (!permit_.has()) {
    if (until.done() && queues_->permits.leave_spares(permit_)) return false;
    sleeper_.parker.park();
  }
  rest_.store(Rest::none, std::memory_order_relaxed);
  return true;
}

}  // namespace weir::sched
