// SPDX-License-Identifier: Apache-2.0

// What a worker without work does where there are more workers than processors, and enough of them are awake. Awake it
// would take a processor from one that has work: a thread that holds what all others wait for would be kept from its
// processor for milliseconds by one that looks for work. docs/protocols/parking.md#more-workers-than-processors
#include <algorithm>

#include "platform/clock.hpp"
#include "platform/thread_state.hpp"
#include "sched/policy/steal.hpp"
#include "sched/scheduler.hpp"
#include "sched/worker.hpp"

namespace weir::sched {

template <class F>
void Worker::for_each_of_lot(F&& f) const {
  const auto visit = [&f](const DomainQueues& queues) {
    const std::uint32_t count = queues.victim_count.load(std::memory_order_acquire);  // VICTIM-1
    for (std::uint32_t i = 0; i < count; ++i) f(*queues.victims[i].load(std::memory_order_relaxed));
  };
  visit(*queues_);
  if (scheduler_->options().policy == Policy::numa) return;
  for (const int domain : queues_->far) visit(scheduler_->queues(domain));
}

// Not asleep for want of work, but because of what its task, or the program's own code, waits for.
bool Worker::leaves_its_processor() const noexcept {
  return !is_guest() && has_permit() && !blocked() && !rests() && thread() != 0 && platform::is_asleep(thread());
}

int Worker::count_blocked() const noexcept {
  int count = 0;
  for_each_of_lot([&](const Worker& worker) { count += &worker != this && worker.leaves_its_processor() ? 1 : 0; });
  return count;
}

// Changes when a thief takes something: the oldest of a deque, which its owner comes to last.
std::uint32_t Worker::count_thefts() const noexcept {
  std::uint32_t sum = 0;
  for_each_of_lot([&](const Worker& worker) { sum += worker.deque_.oldest(); });
  return sum;
}

// True: it has slept, and what it waits for is to be looked at again. False: it is to look for work.
bool Worker::stand_back(Condition& condition) noexcept {
  // Others have nothing to do before this one makes more.
  if (condition.what() == trace::WaitFor::room) return false;
  if (!mail_.empty() || queues_->permits.wanted()) return false;
  if (!sees_tasks()) return sleep_unless(condition, false);
  if (!others_look_later()) return watch(condition);
  return lot_->list_if_crowded(sleeper_) && sleep_listed(condition, true);
}

// Those that are awake do not make others look for work, so it sees to it that some do when the work does not get on.
bool Worker::watch(Condition& condition) noexcept {
  const std::uint64_t now = platform::now_ns();
  if (now - lot_->blocked_set_at() >= policy::kFirstWatchNs) lot_->set_blocked(count_blocked(), now);
  if (!lot_->is_crowded() || !condition.prepare_to_sleep()) return false;
  const std::uint32_t before = count_thefts();
  const std::uint64_t start = track_ != nullptr ? trace::Track::now() : 0;
  rest_.store(Rest::napping, std::memory_order_relaxed);
  const bool watched = lot_->watch(sleeper_, watch_ns_);
  rest_.store(Rest::none, std::memory_order_relaxed);
  if (!watched) return true;
  WorkerStatistics::add(statistics_.parks);
  if (track_ != nullptr) track_->park(start);
  watch_ns_ = std::min(watch_ns_ * 2, policy::kLongestWatchNs);
  return count_thefts() != before;
}

}  // namespace weir::sched
