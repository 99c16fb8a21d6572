// SPDX-License-Identifier: Apache-2.0

// What a worker without work does where there are more workers than processors, and enough of them are awake. Awake it
// would take a processor from one that has work: a thread that holds what all others wait for would be kept from its
// processor for milliseconds by one that looks for work. docs/protocols/parking.md#more-workers-than-processors
#include "platform/clock.hpp"
#include "platform/thread_state.hpp"
#include "sched/policy/victims.hpp"
#include "sched/search.hpp"

namespace weir::sched {

template <class F>
void Search::for_each_of_lot(F&& f) const {
  const auto visit = [&f](const DomainQueues& domain) {
    static_cast<void>(any_victim(domain, [&f](Peer& worker) { return f(worker), false; }));
  };
  visit(domain_);
  if (!policy::reaches_far(team_.options().policy)) return;
  for (const int domain : domain_.far) visit(team_.queues(domain));
}

// Not asleep for want of work, but because of what its task, or the program's own code, waits for.
bool Search::leaves_its_processor(const Peer& worker) const noexcept {
  return &worker != &self_ && !worker.is_guest() && worker.presence().is_at_work() &&
         platform::is_asleep(worker.thread());
}

int Search::count_blocked() const noexcept {
  int count = 0;
  for_each_of_lot([&](const Peer& worker) { count += leaves_its_processor(worker) ? 1 : 0; });
  return count;
}

// Changes when a thief takes something: the oldest of a deque, which its owner comes to last.
std::uint32_t Search::count_thefts() const noexcept {
  std::uint32_t sum = 0;
  for_each_of_lot([&](Peer& worker) { sum += worker.queues().deque().oldest(); });
  return sum;
}

// True: it has slept, and what it waits for is to be looked at again. False: it is to look for work.
bool Search::stand_back(Condition& condition) noexcept {
  // Others have nothing to do before a throttled thread makes more.
  if (condition.what() == trace::WaitFor::room) return false;
  if (self_.queues().has_mail() || domain_.permits.wanted()) return false;
  const bool sees_tasks = thief_.sees_tasks();
  switch (policy::stand_back({sees_tasks, sees_tasks && others_look_later()})) {
    case policy::StandBack::sleep: return sleep_unless(condition, false);
    case policy::StandBack::watch: return watch(condition);
    case policy::StandBack::leave_work: break;
  }
  return lot_.list_if_crowded(presence_.sleeper()) && sleep_listed(condition, true);
}

// Those that are awake do not make others look for work, so it sees to it that some do when the work does not get on.
bool Search::watch(Condition& condition) noexcept {
  const std::uint64_t now = platform::now_ns();
  if (now - lot_.blocked_set_at() >= policy::kFirstWatchNs) lot_.set_blocked(count_blocked(), now);
  if (!lot_.is_crowded() || !condition.prepare_to_sleep()) return false;
  const std::uint32_t before = count_thefts();
  trace::Track* const track = self_.track();
  const std::uint64_t start = track != nullptr ? trace::Track::now() : 0;
  presence_.set_rest(Rest::asleep_timed);
  const bool watched = lot_.watch(presence_.sleeper(), watch_ns_);
  presence_.set_rest(Rest::none);
  if (!watched) return true;
  WorkerStatistics::add(self_.counters().parks);
  if (track != nullptr) track->park(start);
  watch_ns_ = policy::next_watch(watch_ns_);
  return count_thefts() != before;
}

}  // namespace weir::sched
