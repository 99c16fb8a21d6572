// SPDX-License-Identifier: Apache-2.0

// What a thief takes from one victim, and whether it was worth it.
#include <algorithm>
#include <array>

#include "platform/clock.hpp"
#include "sched/policy/victims.hpp"
#include "sched/thief.hpp"

namespace weir::sched {

template <policy::Source kSource>
Thief::Item Thief::steal_source(Peer& victim, const policy::Victim& seen, bool far) noexcept {
  if constexpr (kSource == Source::batch) {
    return steal_batch(victim, far);
  } else if constexpr (kSource == Source::mailbox) {
    return steal_mail(victim, far);
  } else if constexpr (kSource == Source::overflow) {
    const Item item = steal_overflow(victim);
    if (item != 0) begin_stolen(victim, stolen_left_ + 1, far);
    return item;
  } else {
    static_assert(kSource == Source::deque);
    const std::uint64_t version = victim.queues().deque().version();
    if (policy::needs_second_look(seen) && !has_lain_long_enough(victim, seen, version)) return 0;
    const Item item = steal_half(victim);
    if (item != 0) begin_stolen(victim, stolen_left_ + 1, far);
    return item;
  }
}

Thief::Item Thief::steal_from(Peer& victim, bool far) noexcept {
  const policy::Victim seen = victim.queues().seen();
  if (policy::is_tiny(seen)) saw_tiny_ = true;
  const policy::Stock stock{seen.items, victim.queues().stock().in_batch};
  return policy::first_of<policy::is_open_to_others, true>([&](auto source) -> Item {
    return policy::steals_from(source(), stock) ? steal_source<source()>(victim, seen, far) : 0;
  });
}

// Half of its deque, a batch at most.
Thief::Item Thief::steal_half(Peer& victim) noexcept {
  StealDeque::Batch batch;
  const std::uint32_t count = victim.queues().deque().steal(batch);
  return count == 0 ? 0 : unpack(batch, count);
}

// What a victim's deque had no room for: its oldest tasks, and the deque, at which the victim is, is left alone.
Thief::Item Thief::steal_overflow(Peer& victim) noexcept {
  std::array<Overflow::Batch*, Overflow::kMostAtOnce> batches;
  const std::size_t count = victim.queues().overflowed().take_oldest(batches);
  return count == 0 ? 0 : unpack_all({batches.data(), count});
}

// What a victim had in its private batch when it came to a task that is not tiny.
Thief::Item Thief::steal_batch(Peer& victim, bool far) noexcept {
  const policy::Victim seen{victim.queues().batch().size(), 0};
  // Relaxed: a stale count only makes a batch lie for longer, or be taken early.
  if (!has_lain_long_enough(victim, seen, victim.statistics().run.load(std::memory_order_relaxed))) return 0;
  StealDeque::Batch batch;
  const std::uint32_t count = victim.queues().batch().take_all(batch);
  if (count == 0) return 0;
  begin_stolen(victim, count, far);
  return unpack(batch, count);
}

// What was sent to a worker because its data is there, when that worker is long in coming for it.
Thief::Item Thief::steal_mail(Peer& victim, bool far) noexcept {
  if (!policy::may_take_mail(searched_ns_)) return 0;
  const Item item = victim.queues().take_mail();
  if (item != 0) begin_stolen(victim, 1, far);
  return item;
}

// The last of what it stole will be run in less time than a search takes, so the same victim is asked again while their
// lines are on their way. Where tasks take longer a search is cheap in comparison, and may find a better victim.
// Without a look at the clock, which waits for all lines that were asked for: what tasks take goes on being measured.
void Thief::steal_more() noexcept {
  if (victim_ == nullptr || leaves_to_others(0) || !policy::is_tiny({0, own_.grain_ns()})) return;
  const std::uint32_t before = stolen_left_;
  Item first = steal_overflow(*victim_);
  if (first == 0 && policy::has_more_to_steal({victim_->queues().deque().size(), 0})) first = steal_half(*victim_);
  if (first == 0) return;
  own_.push(first);
  ++stolen_left_;
  count_steal(*victim_, stolen_left_ - before, false);
}

// From now on it is measured what stolen tasks take.
void Thief::begin_stolen(Peer& victim, std::uint32_t tasks, bool far) noexcept {
  victim_ = far ? nullptr : &victim;
  backoff_.begin(tasks, victim.grain_ns(), platform::now_ns());
  count_steal(victim, tasks, far);
}

void Thief::count_steal(const Peer& victim, std::uint32_t tasks, bool far) noexcept {
  WorkerStatistics& counters = self_.counters();
  WorkerStatistics::add(counters.steals);
  WorkerStatistics::add(counters.stolen, tasks);
  if (far) WorkerStatistics::add(counters.far_steals);
  if (self_.track() != nullptr) self_.track()->steal(victim.index(), tasks, distance_to(victim.domain()));
}

// 0: the own domain, 1: the nearest other.
int Thief::distance_to(int domain) const noexcept {
  if (domain == self_.domain()) return 0;
  const auto& far = own_.domain().far;
  return 1 + static_cast<int>(std::find(far.begin(), far.end(), domain) - far.begin());
}

// `version` changes when what is seen does.
bool Thief::has_lain_long_enough(const Peer& victim, const policy::Victim& seen, std::uint64_t version) noexcept {
  policy::Look& earlier = looks_[static_cast<std::size_t>(victim.index()) % looks_.size()];
  const policy::Look now{victim.index(), version, victim.spawned(), platform::now_ns()};
  // Victims that share an entry take turns by chance: each would for ever displace the other's first look.
  random_ = policy::next_random(random_);
  if (earlier.victim != now.victim && earlier.victim >= 0 && random_ >> 29 != 0) return false;
  if (policy::has_lain_long_enough(seen, earlier, now)) return true;
  if (policy::is_new_first_look(earlier, now)) earlier = now;
  return false;
}

// A thief whose batch was not worth it keeps from stealing for a while, and from running what it has of others: they
// are better off without it, and take it back when they run out of work.
void Thief::judge_stolen() noexcept {
  std::uint64_t grain = 0;
  if (backoff_.judge(platform::now_ns(), grain)) own_.set_grain(grain);
}

}  // namespace weir::sched
