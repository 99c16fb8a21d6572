// SPDX-License-Identifier: Apache-2.0

// How a thread waits whose place another takes, and how threads without a permit get one.
#include "sched/blocking.hpp"

#include <sched.h>

#include "platform/clock.hpp"
#include "platform/thread_state.hpp"

namespace weir::sched {

namespace {

class Stopped final : public Condition {
 public:
  explicit Stopped(const Team& team) noexcept : team_(team) {}
  bool done() noexcept override { return team_.stopping(); }
  bool prepare_to_sleep() noexcept override { return !team_.stopping(); }  // Scheduler::stop_threads() unparks
  trace::WaitFor what() const noexcept override { return trace::WaitFor::stop; }

 private:
  const Team& team_;
};

// While it lives the innermost frame waits, and that is traced.
class WaitingFrame {
 public:
  WaitingFrame(Frame& frame, const Condition& condition, trace::Track* track) noexcept
      : frame_(frame),
        outer_wait_(frame.waits_for),
        condition_(condition),
        track_(track),
        start_(track == nullptr ? 0 : trace::Track::now()) {
    frame.waits_for = condition.subject();
  }
  ~WaitingFrame() {
    if (track_ != nullptr) track_->wait(start_, condition_.what(), condition_.whose());
    frame_.waits_for = outer_wait_;
  }
  WaitingFrame(const WaitingFrame&) = delete;
  WaitingFrame& operator=(const WaitingFrame&) = delete;

 private:
  Frame& frame_;
  const std::uintptr_t outer_wait_;
  const Condition& condition_;
  trace::Track* const track_;
  const std::uint64_t start_;
};

}  // namespace

void Worker::work() {
  be_this_thread();
  set_current(this);
  started_as_ = this;
  Stopped condition(team());
  serve(condition);
  flush();
  queues().domain().permits.leave(presence().permit());
  set_current(nullptr);
}

void Worker::work_as_spare() {
  be_this_thread();
  Stopped condition(team());
  if (wait_as_spare(condition)) work();
}

bool Worker::block_until(Blocking& layer, Condition& condition, const Scope* own) noexcept {
  if (condition.done()) return true;
  const std::uintptr_t begun = layer.begin(*this);
  base::Status status = base::Status::success();
  bool done = false;
  {
    const AtWork at_work(presence());
    const WaitingFrame waiting(frame(), condition, track());
    if (own != nullptr) run_children(condition, *own);
    give_away_tasks();
    while (status && waits_while_others_work(condition)) status = give_up_permit(condition, false);
    done = condition.done();
  }
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
  Blocking* const layer = team().blocking();
  give_away_tasks();
  if (layer == nullptr || !(has_visible_task() || search().sees_work())) {
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
  if (!queues().batch().empty()) queues().give_away_batch();
  const Here outer = enter(this);
  while (!condition.done()) {
    if (queues().has_next()) queues().give_away_next();
    const Item item = queues().deque().pop();
    if (item == 0) break;
    if ((item & StealDeque::kAlone) != 0 || reinterpret_cast<const Task*>(item)->scope != &own) {
      queues().push(item);
      break;
    }
    run_one(item);
    if (current() != this) set_current(this);  // it has made a runtime, and left it there
  }
  leave(outer);
}

void Worker::give_away_tasks() noexcept {
  queues().give_away();
  flush();
  if (queues().has_next()) queues().give_away_next();
  if (has_visible_task()) queues().wake_for_work();
}

// As a worker that looks for work, and takes none. True: there is some; false: the condition is true, or the threads
// stop, and what is left to run the waiting one runs itself.
bool Worker::waits_while_others_work(Condition& condition) noexcept {
  const std::uint64_t look_for =
      team().oversubscribed() ? 0 : static_cast<std::uint64_t>(team().options().park_after) * 1000;
  search().start();
  std::uint64_t start = platform::now_ns();
  bool work = false;
  const auto sees_work = [this] {
    search().ask();
    return has_visible_task() || search().sees_work();
  };
  while (!condition.done() && !team().stopping() && !(work = sees_work())) {
    if (platform::now_ns() - start < look_for) {
      for (int i = 0; i < 16; ++i) platform::spin_pause();
    } else if (search().sleep_unless(condition, false)) {
      start = platform::now_ns();
    } else {
      sched_yield();
    }
  }
  search().stop();
  return work && !team().stopping() && !condition.done();
}

// Another thread has its permit from now on. Returns with one again, because of the condition or something else.
base::Status Worker::give_up_permit(Condition& condition, bool tasks_first) noexcept {
  if (!condition.prepare_to_sleep()) return base::Status::success();
  Permits& permits = queues().domain().permits;
  const bool tasks = has_visible_task() || thief().sees_tasks();
  PermitHolder* receiver = tasks && tasks_first ? permits.take_spare() : permits.take_receiver(tasks);
  if (receiver == nullptr) {
    if (!tasks) return base::Status::success();  // others were quicker
    base::Result<PermitHolder*> spare = team().start_spare(domain());
    if (!spare) return spare.status();
    receiver = *spare;
  }
  PermitHolder& permit = presence().permit();
  presence().set_rest(Rest::asleep);
  permit.state.exchange(PermitHolder::kGivenUp, std::memory_order_acq_rel);  // PERMIT-1
  receiver->grant();
  if ((condition.done() || team().stopping()) && permit.notify()) presence().ask_for_permit();
  while (!permit.has()) permit.parker->park();
  presence().set_rest(Rest::none);
  return base::Status::success();
}

// A thread that wants to go on gets the permit. Returns with one again, or false: the worker is not needed any more.
bool Worker::relieve_another(Condition& until) noexcept {
  PermitHolder* const other = queues().domain().permits.relieve(presence().permit());
  if (other == nullptr) return true;
  if (has_visible_task()) queues().wake_for_work();
  other->grant();
  return wait_as_spare(until);
}

bool Worker::wait_as_spare(Condition& until) noexcept {
  PermitHolder& permit = presence().permit();
  presence().set_rest(Rest::asleep);
  while (!permit.has()) {
    if (until.done() && queues().domain().permits.leave_spares(permit)) return false;
    permit.parker->park();
  }
  presence().set_rest(Rest::none);
  return true;
}

}  // namespace weir::sched
