// SPDX-License-Identifier: Apache-2.0

// How a worker without work looks for some, whom it steals from, and when it sleeps.
#include <sched.h>

#include <algorithm>
#include <array>

#include "platform/clock.hpp"
#include "sched/policy/steal.hpp"
#include "sched/scheduler.hpp"
#include "sched/worker.hpp"

namespace weir::sched {

namespace {

// Between two rounds of looking, growing: each look takes the victim's hottest cache line away from it.
class Backoff {
 public:
  // `busy_victims`: what was seen is too small to be taken at once, and its owners are at it.
  void pause(bool busy_victims) noexcept {
    const std::uint64_t until = platform::now_ns() + (busy_victims ? policy::kTinyNs / 2 : ns_);
    do platform::spin_pause();
    while (platform::now_ns() < until);
    if (ns_ < kMostNs) ns_ *= 2;
  }

 private:
  static constexpr std::uint64_t kMostNs = 400;  // docs/tuning.md#backoff
  std::uint64_t ns_ = 50;
};

// Adds its own life to a sum.
class IdleTime {
 public:
  explicit IdleTime(std::uint64_t& sum) noexcept : since_(platform::now_ns()), sum_(sum) {}
  ~IdleTime() { sum_ += platform::now_ns() - since_; }
  IdleTime(const IdleTime&) = delete;
  IdleTime& operator=(const IdleTime&) = delete;
  std::uint64_t since() const noexcept { return since_; }

 private:
  const std::uint64_t since_;
  std::uint64_t& sum_;
};

}  // namespace

// A waiter runs other tasks on top of its stack, and those may wait in turn. Past a quarter of the stack it takes only
// what nobody else is bound to run: its own deque and the domain's inboxes. What sits in another worker's deque will be
// run by that worker, so nothing is stranded.
// Where tasks block a waiter runs no others.
bool Worker::deep_in_stack() const noexcept {
  if (scheduler_->blocking() != nullptr) return false;
  const platform::StackBounds stack = platform::this_stack();
  return platform::stack_pointer() < stack.lowest + stack.bytes / 4 * 3;
}

Worker::Item Worker::search(Condition& condition) noexcept {
  flush();  // may end a parent, whose successors are then here
  if (const Item item = next_local()) return item;
  if (stole_at_ns_ != 0) {
    judge_spoils(platform::now_ns());
    stole_at_ns_ = 0;
    if (retreat_until_ns_ != 0) return 0;
  }
  lot_->start_searching();
  const Options& options = scheduler_->options();
  const std::uint64_t park_after = static_cast<std::uint64_t>(options.park_after) * 1000;
  const IdleTime idle(idle_ns_);
  std::uint64_t idle_since = idle.since();  // naps included: they are time without work, too
  std::uint64_t start = idle_since;         // of looking without a pause
  std::uint64_t look_for = park_after;
  Backoff backoff;
  while (!condition.done()) {
    if (lot_->may_be_crowded() && stand_back(condition)) continue;
    const std::uint64_t now = platform::now_ns();
    left_tiny_ = false;
    if (const Item item = look_around(now - idle_since)) return found(item);
    if (lot_->is_crowded()) {
      sched_yield();
    } else if (now - start < look_for) {
      backoff.pause(left_tiny_);
    } else if (left_tiny_ && naps_ < policy::kMostNaps && !(lot_->has_surplus() && lot_->someone_naps())) {
      nap(condition);
      start = platform::now_ns();
      look_for = std::min(park_after, 2 * policy::kTinyNs);
    } else if (sleep_unless(condition, left_tiny_)) {
      naps_ = 0;
      idle_since = start = platform::now_ns();
      look_for = park_after;
      backoff = Backoff();
    } else {
      backoff.pause(left_tiny_);
    }
  }
  static_cast<void>(found(0));
  return 0;
}

// Whether what it stole was worth it. If not, it keeps from stealing for a while, and from running what it has of
// others: they are better off without it, and take it back when they run out of work.
void Worker::judge_spoils(std::uint64_t now_ns) noexcept {
  const policy::Spoils spoils{foreign_runs_, now_ns - stole_at_ns_, stolen_at_once_, home_pace_ns_};
  retreat_ns_ = policy::retreat_ns(spoils, retreat_ns_);
  retreat_until_ns_ = retreat_ns_ == 0 ? 0 : now_ns + retreat_ns_;
  if (spoils.tasks != 0) pace_ns_.store(policy::measured_pace(spoils), std::memory_order_relaxed);
  foreign_runs_ = 0;
  stole_at_ns_ = retreat_ns_ == 0 ? now_ns : 0;
}

void Worker::retreat(Condition& condition) noexcept {
  const IdleTime idle(idle_ns_);
  if (next_ != nullptr) give_away_next();
  if (!hand_.empty()) give_away_hand();
  flush();
  lot_->start_searching();
  while (!condition.done() && queues_->urgent.empty() && platform::now_ns() < retreat_until_ns_) {
    if (lot_->is_crowded())
      sched_yield();
    else
      for (int i = 0; i < 16; ++i) platform::spin_pause();
  }
  retreat_until_ns_ = 0;
  static_cast<void>(found(0));
}

// No longer searching. The last searcher passes the search on while there is more to be found.
Worker::Item Worker::found(Item item) noexcept {
  rest_.store(Rest::none, std::memory_order_relaxed);
  if (item != 0) {
    nap_ns_ = policy::kFirstNapNs;
    watch_ns_ = policy::kFirstWatchNs;
    naps_ = 0;
  }
  if (lot_->stop_searching() && sees_work() && lot_->should_wake()) wake_one();
  return item;
}

// Of workers that are more than there are processors one with a time limit is enough, and will look for all.
bool Worker::others_look_later() const noexcept {
  return lot_->has_surplus() && (lot_->is_watched() || lot_->someone_naps());
}

// `leaves_work`: what is not meant for it alone it leaves to one that looks later, if there is one.
bool Worker::must_stay_awake(bool leaves_work) const noexcept {
  return leaves_work && others_look_later() ? !mail_.empty() || queues_->permits.wanted() : sees_work();
}

// True after a sleep; false when there was a reason not to.
bool Worker::sleep_unless(Condition& condition, bool leaves_work) noexcept {
  if (must_stay_awake(leaves_work)) return false;  // list() costs every running thread an interrupt
  lot_->list(sleeper_);
  return sleep_listed(condition, leaves_work);
}

bool Worker::sleep_listed(Condition& condition, bool leaves_work) noexcept {
  const bool sleeps = condition.prepare_to_sleep();
  if (!sleeps || must_stay_awake(leaves_work)) {
    lot_->unlist(sleeper_);
    if (!sleeps && !condition.done()) rest_.store(Rest::polling, std::memory_order_release);
    return false;
  }
  WorkerStatistics::add(statistics_.parks);
  const std::uint64_t start = track_ != nullptr ? trace::Track::now() : 0;
  rest_.store(Rest::asleep, std::memory_order_release);
  sleeper_.parker.park();
  rest_.store(Rest::none, std::memory_order_relaxed);  // before the lot's lock, which may take long to get
  lot_->unlist(sleeper_);
  if (track_ != nullptr) track_->park(start);
  return true;
}

// Until somebody works on tasks that are worth it, a short look now and then is enough.
void Worker::nap(Condition& condition) noexcept {
  if (!condition.prepare_to_sleep()) return;
  WorkerStatistics::add(statistics_.parks);
  const std::uint64_t start = track_ != nullptr ? trace::Track::now() : 0;
  rest_.store(Rest::napping, std::memory_order_relaxed);
  lot_->nap(sleeper_, nap_ns_);
  rest_.store(Rest::none, std::memory_order_relaxed);
  if (track_ != nullptr) track_->park(start);
  nap_ns_ = std::min(nap_ns_ * 2, policy::kLongestNapNs);
  ++naps_;
}

void Worker::wake_one() noexcept {
  if (index_ == 0) scheduler_->make_way();
  lot_->wake_one(domain_);
}

void Worker::wake_someone() noexcept {
  const policy::Victim self{deque_.size(), pace_ns_.load(std::memory_order_relaxed)};
  if (policy::is_worth_waking(self) || !(lot_->someone_naps() || lot_->is_watched())) wake_one();
}

Worker::Item Worker::look_around(std::uint64_t searched_ns) noexcept {
  const bool deep = deep_in_stack();
  searched_ns_ = searched_ns;
  if (Task* task = mail_.try_pop()) return reinterpret_cast<Item>(task);
  if (const Item item = take_from_domain(*queues_)) return item;
  if (!deep) {
    if (const Item item = steal_in(*queues_, false)) return item;
  }
  if (Task* task = queues_->background.try_pop()) return reinterpret_cast<Item>(task);
  const Options& options = scheduler_->options();
  const policy::Thief thief{options.policy, searched_ns, static_cast<std::uint64_t>(options.far_after) * 1000};
  if (deep || !policy::may_steal_far(thief)) return 0;
  for (const int domain : queues_->far) {
    DomainQueues& far = scheduler_->queues(domain);
    if (const Item item = take_from_domain(far)) return item;
    if (const Item item = steal_in(far, true)) return item;
    if (Task* task = far.background.try_pop()) return reinterpret_cast<Item>(task);
  }
  return 0;
}

Worker::Item Worker::take_from_domain(DomainQueues& queues) noexcept {
  Task* task = queues.urgent.try_pop();
  if (task == nullptr) task = queues.ready.try_pop();
  return reinterpret_cast<Item>(task);
}

Worker::Item Worker::steal_in(DomainQueues& queues, bool far) noexcept {
  const std::uint32_t count = queues.victim_count.load(std::memory_order_acquire);  // VICTIM-1
  random_ = random_ * 1664525u + 1013904223u;
  std::uint32_t at = static_cast<std::uint32_t>((std::uint64_t{random_} * count) >> 32);
  for (std::uint32_t i = 0; i < count; ++i, at = at + 1 == count ? 0 : at + 1) {
    Worker* victim = queues.victims[at].load(std::memory_order_relaxed);
    if (victim == this) continue;
    if (const Item item = steal_from(*victim, far)) return item;
  }
  return 0;
}

Worker::Item Worker::steal_from(Worker& victim, bool far) noexcept {
  const policy::Victim seen{victim.deque_.size(), victim.pace_ns_.load(std::memory_order_relaxed)};
  if (policy::is_tiny(seen)) left_tiny_ = true;
  Item item = take_overflow_of(victim);
  if (item == 0) {
    if (seen.items == 0) return victim.hand_.size() != 0 ? take_hand_of(victim, far) : take_mail_of(victim, far);
    if (policy::needs_second_look(seen) && !has_lain_long_enough(victim, seen, victim.deque_.version())) return 0;
    item = take_half_of(victim);
  }
  if (item != 0) begin_spoils(victim, spoils_ + 1, far);
  return item;
}

// Half of its deque, a batch at most.
Worker::Item Worker::take_half_of(Worker& victim) noexcept {
  StealDeque::Batch batch;
  const std::uint32_t count = victim.deque_.steal(batch);
  return count == 0 ? 0 : take_batch(batch, count);
}

// The last of what it stole will be run in less time than a search takes, so the same victim is asked again while their
// lines are on their way. Where tasks take longer a search is cheap beside them, and may find a better victim. Without
// a look at the clock, which waits for all lines that were asked for: what tasks take goes on being measured.
void Worker::steal_more() noexcept {
  if (victim_ == nullptr || deep_in_stack() || !policy::is_tiny({0, pace_ns_.load(std::memory_order_relaxed)})) return;
  const std::uint32_t before = spoils_;
  Item first = take_overflow_of(*victim_);
  if (first == 0 && policy::has_more_to_steal({victim_->deque_.size(), 0})) first = take_half_of(*victim_);
  if (first == 0) return;
  push(first);
  ++spoils_;
  count_steal(*victim_, spoils_ - before, false);
}

// From now on it is measured what stolen tasks take.
void Worker::begin_spoils(Worker& victim, std::uint32_t tasks, bool far) noexcept {
  victim_ = far ? nullptr : &victim;
  foreign_runs_ = 0;
  stolen_at_once_ = tasks;
  home_pace_ns_ = victim.pace_ns();
  stole_at_ns_ = platform::now_ns();
  count_steal(victim, tasks, far);
}

// What a victim's deque had no room for: its oldest tasks, and the deque, at which the victim is, is left alone.
Worker::Item Worker::take_overflow_of(Worker& victim) noexcept {
  std::array<Overflow::Batch*, Overflow::kMostAtOnce> batches;
  const std::size_t count = victim.overflowed_.take_oldest(batches);
  return count == 0 ? 0 : take_batches({batches.data(), count});
}

// What a victim had in hand when it came to a task that is not tiny.
Worker::Item Worker::take_hand_of(Worker& victim, bool far) noexcept {
  const policy::Victim seen{victim.hand_.size(), 0};
  if (!has_lain_long_enough(victim, seen, victim.statistics_.run.load(std::memory_order_relaxed))) return 0;
  StealDeque::Batch batch;
  const std::uint32_t count = victim.hand_.take_all(batch);
  if (count == 0) return 0;
  begin_spoils(victim, count, far);
  return take_batch(batch, count);
}

// What was sent to a worker because its data is there, when that worker is long in coming for it.
Worker::Item Worker::take_mail_of(Worker& victim, bool far) noexcept {
  if (searched_ns_ < policy::kLoneNs) return 0;
  Task* const task = victim.mail_.try_pop();
  if (task == nullptr) return 0;
  begin_spoils(victim, 1, far);
  return reinterpret_cast<Item>(task);
}

void Worker::count_steal(const Worker& victim, std::uint32_t tasks, bool far) noexcept {
  WorkerStatistics::add(statistics_.steals);
  WorkerStatistics::add(statistics_.stolen, tasks);
  if (far) WorkerStatistics::add(statistics_.far_steals);
  if (track_ != nullptr) track_->steal(victim.index_, tasks, distance_to(victim.domain_));
}

// 0: the own domain, 1: the nearest other.
int Worker::distance_to(int domain) const noexcept {
  if (domain == domain_) return 0;
  return 1 + static_cast<int>(std::find(queues_->far.begin(), queues_->far.end(), domain) - queues_->far.begin());
}

// `version` changes when what is seen does.
bool Worker::has_lain_long_enough(const Worker& victim, const policy::Victim& seen, std::uint64_t version) noexcept {
  policy::Look& earlier = looks_[static_cast<std::size_t>(victim.index_) % looks_.size()];
  const policy::Look now{victim.index_, version, victim.spawned_.load(std::memory_order_relaxed), platform::now_ns()};
  // Victims that share an entry take turns by chance: each would for ever displace the other's first look.
  random_ = random_ * 1664525u + 1013904223u;
  if (earlier.victim != now.victim && earlier.victim >= 0 && random_ >> 29 != 0) return false;
  if (policy::has_lain_long_enough(seen, earlier, now)) return true;
  if (earlier.victim != now.victim || earlier.version != now.version ||
      now.spawned - earlier.spawned >= policy::kBusySpawns) {
    earlier = now;
  }
  return false;
}

// Or a thread that wants to go on in the place of this one.
bool Worker::sees_work() const noexcept { return queues_->permits.wanted() || sees_tasks(); }

bool Worker::sees_tasks() const noexcept {
  if (!mail_.empty()) return true;
  const bool deep = deep_in_stack();
  auto sees = [&](DomainQueues& queues) {
    if (!queues.urgent.empty() || !queues.ready.empty() || !queues.background.empty()) return true;
    if (deep) return false;
    const std::uint32_t count = queues.victim_count.load(std::memory_order_acquire);  // VICTIM-1
    for (std::uint32_t i = 0; i < count; ++i) {
      const Worker* victim = queues.victims[i].load(std::memory_order_relaxed);
      if (victim != this && victim->has_visible_task()) return true;
    }
    return false;
  };
  if (sees(*queues_)) return true;
  if (deep || scheduler_->options().policy == Policy::numa) return false;
  for (const int domain : queues_->far) {
    if (sees(scheduler_->queues(domain))) return true;
  }
  return false;
}

}  // namespace weir::sched
