// SPDX-License-Identifier: Apache-2.0

#include "sched/search.hpp"

#include <sched.h>

#include <utility>

#include "platform/clock.hpp"

namespace weir::sched {

namespace {

constexpr int kSpins = 16;  // between two looks at the clock

}  // namespace

// One search, from when it began to the next task.
struct Search::Looking {
  std::uint64_t now;         // when the clock was last read: what is found is not kept waiting for it
  std::uint64_t idle_since;  // timed parks included: they are time without work, too
  std::uint64_t start;       // of looking without a sleep
  std::uint64_t look_for;
  std::uint64_t pause = 0;
};

Search::Search(Peer& self, Thief& thief, Team& team) noexcept
    : self_(self),
      presence_(self.presence()),
      thief_(thief),
      team_(team),
      domain_(team.queues(self.domain())),
      lot_(team.lot(self.domain())) {}

Search::Item Search::look(Condition& condition) noexcept {
  lot_.start_searching();
  const std::uint64_t start = platform::now_ns();
  domain_.lookout.go_home(presence_, start);
  Looking looking{start, start, start, park_after_ns()};
  const Item item = look_until(condition, looking);
  idle_ns_ += looking.now - start;
  return found(item);
}

Search::Item Search::look_until(Condition& condition, Looking& looking) noexcept {
  while (!condition.done()) {
    if (const Item item = ask_and_take()) return item;
    const bool stood_back = lot_.may_be_crowded() && stand_back(condition);
    looking.now = platform::now_ns();
    if (stood_back) continue;
    if (const Item item = thief_.look_around(looking.now - looking.idle_since)) return item;
    rest_from(looking, condition);
  }
  return 0;
}

std::uint64_t Search::park_after_ns() const noexcept {
  return static_cast<std::uint64_t>(team_.options().park_after) * 1000;
}

// Between two looks.
void Search::rest_from(Looking& looking, Condition& condition) noexcept {
  const bool saw_tiny = thief_.saw_tiny();
  const policy::Idleness idle{lot_.is_crowded(), saw_tiny,     looking.now - looking.start,
                              looking.look_for,  timed_parks_, lot_.has_surplus() && lot_.someone_parks_timed()};
  switch (policy::next_step(idle)) {
    case policy::IdleStep::yield: sched_yield(); return;
    case policy::IdleStep::pause: pause(looking); return;
    case policy::IdleStep::timed_park:
      park_timed(condition);
      looking.now = looking.start = platform::now_ns();
      looking.look_for = policy::look_after_timed_park_ns(park_after_ns());
      return;
    case policy::IdleStep::park: break;
  }
  if (!sleep_unless(condition, saw_tiny)) return pause(looking);
  timed_parks_ = 0;
  const std::uint64_t woken = platform::now_ns();
  looking = {woken, woken, woken, is_called_ ? 0 : park_after_ns()};
}

void Search::pause(Looking& looking) noexcept {
  looking.pause = policy::next_pause(looking.pause);
  const std::uint64_t until = looking.now + policy::pause_for(looking.pause, thief_.saw_tiny());
  do {
    platform::spin_pause();
    if (team_.polls().any() && ask_often()) return;
    looking.now = platform::now_ns();
  } while (looking.now < until);
}

void Search::keep_off(Condition& condition) noexcept {
  const std::uint64_t start = platform::now_ns();
  StealBackoff& backoff = thief_.backoff();
  lot_.start_searching();
  while (!condition.done() && domain_.urgent.empty() && platform::now_ns() < backoff.until_ns()) {
    if (lot_.is_crowded())
      sched_yield();
    else
      for (int i = 0; i < kSpins; ++i) platform::spin_pause();
  }
  backoff.end();
  idle_ns_ += platform::now_ns() - start;
  static_cast<void>(found(0));
}

// No longer searching. The last searcher passes the search on while there is more to be found.
Search::Item Search::found(Item item) noexcept {
  presence_.set_rest(Rest::none);
  if (std::exchange(looks_, false)) [[unlikely]]
    team_.polls().end_looking();
  if (item != 0) {
    timed_park_ns_ = policy::kFirstTimedParkNs;
    watch_ns_ = policy::kFirstWatchNs;
    timed_parks_ = 0;
  }
  if (asks_) {
    asks_ = false;
    lot_.end_asking();  // ASK-1: before it stops searching
  }
  if (lot_.stop_searching() && (sees_work() || nobody_asks()) && lot_.should_wake()) self_.queues().wake_one();
  leave_a_lookout(item != 0);
  return item;
}

bool Search::answer_call() noexcept {
  if (!std::exchange(is_called_, false)) [[likely]]
    return false;
  domain_.lookout.end_call();
  return true;
}

// Those that have something to run, this one if it `runs`, are not left without a lookout while one of their domain
// sleeps. PARKLOT-1: who is not seen asleep yet begins to look itself.
void Search::leave_a_lookout(bool runs) noexcept {
  const bool has_left = answer_call() || was_lookout_;
  was_lookout_ = false;
  if (!runs && !has_left) return;
  if (!lot_.someone_sleeps() || !domain_.lookout.is_missed(presence_, runs) || !domain_.lookout.begin_call()) return;
  if (!lot_.call_lookout(self_.domain())) domain_.lookout.end_call();
}

bool Search::sees_work() const noexcept { return domain_.permits.wanted() || thief_.sees_tasks(); }

// ---- Asking for what ends elsewhere ----

bool Search::ask_polls() noexcept {
  thief_.has_asked();
  const bool has_ended = team_.polls().look();
  looks_ |= team_.polls().counts_lookers();
  if (!has_ended) return false;
  asking_nap_ns_ = policy::kFirstAskingNapNs;
  return true;
}

// Asking disturbs no victim, and takes less time than the clock.
bool Search::ask_often() noexcept {
  constexpr int kTimes = 8;
  for (int i = 0; i < kTimes; ++i)
    if (ask_polls()) return true;
  return false;
}

// Listed among the sleepers: whether it is to take a nap, and ask again. Of those that may one is enough. ASK-1: it
// looks once more after it has ended that, as another may have relied on it meanwhile.
bool Search::keeps_asking() noexcept {
  Polls& polls = team_.polls();
  if (!polls.any() && !asks_) [[likely]]
    return false;
  polls.hand_over();
  for (;;) {
    const Polls::Asker asker = polls.wanted();
    if (asker == Polls::Asker::anybody) return asks_ = asks_ || lot_.begin_asking();
    if (!asks_) return asker == Polls::Asker::me;
    asks_ = false;
    lot_.end_asking();
  }
}

bool Search::nobody_asks() const noexcept {
  return team_.polls().any() && !lot_.is_asked() && team_.polls().wanted() == Polls::Asker::anybody;
}

// ---- Sleeping ----

// Of workers that are more than there are processors one with a time limit is enough, and will look for all.
bool Search::others_look_later() const noexcept {
  return lot_.has_surplus() && (lot_.is_watched() || lot_.someone_parks_timed());
}

bool Search::must_stay_awake(bool leaves_work) const noexcept {
  if (!policy::only_own_keeps_awake({leaves_work, leaves_work && others_look_later()})) return sees_work();
  return self_.queues().has_mail() || domain_.permits.wanted();
}

bool Search::sleep_unless(Condition& condition, bool leaves_work) noexcept {
  if (must_stay_awake(leaves_work)) return false;  // list() costs every running thread an interrupt
  lot_.list(presence_.sleeper(), is_called_);  // one that is woken for each task would have to call another each time
  return sleep_listed(condition, leaves_work);
}

bool Search::sleep_listed(Condition& condition, bool leaves_work) noexcept {
  Sleeper& sleeper = presence_.sleeper();
  const bool sleeps = condition.prepare_to_sleep();
  if (!sleeps || must_stay_awake(leaves_work)) {
    is_called_ |= lot_.unlist(sleeper);
    if (!sleeps && !condition.done()) presence_.set_rest(Rest::polling);
    return false;
  }
  WorkerStatistics::add(self_.counters().parks);
  trace::Track* const track = self_.track();
  const std::uint64_t start = track != nullptr ? trace::Track::now() : 0;
  const bool asks = keeps_asking();
  static_cast<void>(answer_call());
  presence_.set_rest(asks ? Rest::asleep_timed : Rest::asleep);
  if (asks)
    sleeper.parker.park_for(asking_nap_ns_);
  else
    was_lookout_ |= domain_.lookout.sleep(presence_, sleeper.parker, condition.longest_sleep_ns());
  if (asks) asking_nap_ns_ = policy::next_asking_nap(asking_nap_ns_);
  presence_.set_rest(Rest::none);  // before the lot's lock, which may take long to get
  is_called_ |= lot_.unlist(sleeper);
  if (track != nullptr) track->park(start);
  return true;
}

// Until a worker has tasks that are worth it, a short look now and then is enough.
void Search::park_timed(Condition& condition) noexcept {
  if (!condition.prepare_to_sleep()) return;
  WorkerStatistics::add(self_.counters().parks);
  trace::Track* const track = self_.track();
  const std::uint64_t start = track != nullptr ? trace::Track::now() : 0;
  presence_.set_rest(Rest::asleep_timed);
  static_cast<void>(answer_call());
  is_called_ |= lot_.park_timed(presence_.sleeper(), timed_park_ns_);
  presence_.set_rest(Rest::none);
  domain_.lookout.look_once(presence_);
  if (track != nullptr) track->park(start);
  timed_park_ns_ = policy::next_timed_park(timed_park_ns_);
  ++timed_parks_;
}

}  // namespace weir::sched
