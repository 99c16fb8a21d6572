// SPDX-License-Identifier: Apache-2.0

// Where a ready task goes, and whom that wakes. Pure functions: tests/unit/sched/placement_test.cpp.
#pragma once

#include "sched/policy/sources.hpp"
#include "sched/policy/steal.hpp"

namespace weir::sched::policy {

// ---- Home: the worker that ran most of a task's predecessors, as the task's data is in its caches ----

inline constexpr std::uint32_t kVoters = 1u << 9;  // workers with a higher index do not vote
inline constexpr std::uint32_t kMostLead = 7;

// A predecessor that `worker` ran has ended (Boyer and Moore, 1981).
constexpr HomeVote vote(const HomeVote& before, std::uint32_t worker) noexcept {
  if (worker >= kVoters) return before;
  if (before.lead == 0) return {worker, 1};
  if (before.candidate != worker) return {before.candidate, before.lead - 1};
  return {worker, before.lead < kMostLead ? before.lead + 1 : before.lead};
}

// After the last arrival, made by `worker`, which has not voted.
constexpr std::uint32_t home_of(const HomeVote& votes, std::uint32_t worker) noexcept {
  return votes.lead >= 2 ? votes.candidate : worker;
}

// ---- Which place ----

struct Destination {
  Source source = Source::deque;
  int domain = 0;
};

// A task that its last predecessor has made ready: it is run next here, where that one's data is, or at home.
constexpr Source place_released(const Home& home) noexcept {
  const bool can_send = home.task_is_plain && home.same_domain && home.runs_tasks && !home.is_replaced;
  return !home.is_here && can_send ? Source::mailbox : Source::next;
}

// Any other task, and one with wishes.
constexpr Destination place(const Wishes& wishes, const Maker& maker) noexcept {
  const int domain = wishes.domain < 0 ? maker.domain : wishes.domain;
  switch (wishes.priority) {
    case Priority::urgent: return {Source::urgent, domain};
    case Priority::background: return {Source::background, domain};
    case Priority::normal: break;
  }
  return {maker.has_deque && domain == maker.domain ? Source::deque : Source::inbox, domain};
}

// ---- Whom to wake ----

enum class Wake : std::uint8_t {
  one_if_worth,   // any worker that sleeps, if none searches and the work is worth it (is_worth_waking())
  one,            // the same, however little the work
  one_of_domain,  // one of the task's domain, though others search
  home,           // the worker whose mailbox it is in; and as one_if_worth, since that one may be away in other code
};

constexpr Wake whom_to_wake(const Destination& to, int domain_of_maker) noexcept {
  if (to.source == Source::mailbox) return Wake::home;
  if (to.source == Source::deque || to.source == Source::next) return Wake::one_if_worth;
  return to.domain == domain_of_maker ? Wake::one : Wake::one_of_domain;
}

// Waking a sleeping thread costs the waker up to 30 us on a virtual machine: the work must be worth that.
inline constexpr std::uint64_t kWorthWakingNs = 50000;

// Whether a worker that has made a task available should wake a sleeper for what it has. `someone_looks_later`: one
// sleeps with a time limit and then looks at everything.
constexpr bool is_worth_waking(const Victim& self, bool someone_looks_later) noexcept {
  return !someone_looks_later || !is_tiny(self) || self.items * self.grain_ns >= kWorthWakingNs;
}

}  // namespace weir::sched::policy
