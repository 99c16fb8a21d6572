// SPDX-License-Identifier: Apache-2.0

#include "shmem/world/waiting.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>

#include "platform/clock.hpp"
#include "shmem/world/in_library.hpp"
#include "shmem/world/world.hpp"

namespace weir::shmem {

namespace {

constexpr std::uint32_t kSpins = 1000;         // microseconds: longer than an answer takes of a PE that runs
constexpr std::uint32_t kSpinsShared = 40;     // where the PE waited for may need this processor
constexpr std::uint32_t kSpinsProgress = 20;   // where each round makes the transport's progress
constexpr std::uint64_t kYieldNs = 5'000'000;  // that long before it sleeps, when no PE needs the processor
constexpr std::uint64_t kYieldSharedNs = 500'000;
constexpr std::uint64_t kLongestSleepNs = 1'000'000;
constexpr std::uint64_t kShortestSleepNs = 20'000;
constexpr std::uint64_t kLongYieldNs = 300'000;   // then another program has run meanwhile, not a PE that waits, too
constexpr std::uint64_t kCrowdedNs = 20'000'000;  // that long after it no thread yields, but sleeps at once
constexpr std::uint64_t kLongNs = 50'000'000;     // a wait that is worth telling
constexpr std::uint64_t kLookNs = 100'000'000, kSeldomNs = 5'000'000'000;  // from one look to the next
constexpr std::uint64_t kStandingNs = 500'000'000;  // the same at most, of a PE that stands still

// Until when others are known to take what is yielded. Relaxed: a thread that sees it late yields once more.
std::atomic<std::uint64_t> crowded_until_ns{0};

bool is_crowded(std::uint64_t now) noexcept { return now < crowded_until_ns.load(std::memory_order_relaxed); }

void yield(std::uint64_t now) noexcept {
  sched_yield();
  const std::uint64_t after = platform::now_ns();
  if (after - now > kLongYieldNs) crowded_until_ns.store(after + kCrowdedNs, std::memory_order_relaxed);
}

void end_if_lost() noexcept {
  if (const auto lost = world().transport->lost()) [[unlikely]]
    fail(base::Status{base::Code::lost, "a PE is lost"});
}

}  // namespace

// A part of what has been waited, by which it is seen late at most. All PEs have to look some times more before it is
// certain that none goes on, also those that have waited for long.
std::uint64_t ns_to_next_look(std::uint64_t waited_ns, bool is_standing) noexcept {
  return std::clamp(waited_ns / 4, kLookNs, is_standing ? kStandingNs : kSeldomNs);
}

Waiting::Waiting() noexcept
    : spins_(world().needs_progress      ? kSpinsProgress
             : world().is_oversubscribed ? kSpinsShared
                                         : kSpins) {}

void Waiting::watch(const Awaited& what, std::uint64_t now) noexcept {
  Watcher* const watcher = world().watcher;
  if (watcher == nullptr || now < next_look_ns_) return;
  if (next_look_ns_ == 0) watched_ = watcher->begin(what);
  const std::uint64_t waited = now - slow_since_ns_;
  const int pe = watcher->left_without(what);
  if (pe >= 0 && is_in_vain_) {
    fail(
        fmt::format("waits for PE {}, which has left without it: it has called shmem_finalize, or has returned from "
                    "main. All PEs must have made the same collective calls before, and given what others wait for",
                    pe));
  }
  is_in_vain_ = pe >= 0;
  const bool is_standing = watcher->go_on(watched_, what, waited);
  next_look_ns_ = now + ns_to_next_look(waited, is_standing);
}

void Waiting::end_watch() noexcept {
  const InLibrary inside;
  if (Watcher* const watcher = world().watcher; watcher != nullptr) watcher->end(watched_);
}

void Waiting::pause_slow(const Awaited& what) noexcept {
  const InLibrary inside;  // a transport and a Watcher have texts
  const World& w = world();
  if (w.transport == nullptr) fail_not_started();
  if (w.needs_progress && w.transport->progress()) return;
  end_if_lost();
  const std::uint64_t now = platform::now_ns();
  if (slow_since_ns_ == 0) slow_since_ns_ = now;
  const std::uint64_t waited = now - slow_since_ns_;
  const std::uint64_t patience = w.is_oversubscribed ? kYieldSharedNs : kYieldNs;
  if (waited > patience || is_crowded(now)) {
    if (waited > kLongNs) watch(what, now);
    // A part of what it has waited, by which the wait gets longer at most. The transport looks after the others then.
    w.transport->wait_for_arrival(std::clamp(waited / 20, kShortestSleepNs, kLongestSleepNs));
    return;
  }
  yield(now);
}

void give_turn() noexcept {
  const std::uint64_t now = platform::now_ns();
  if (is_crowded(now))
    world().transport->wait_for_arrival(kShortestSleepNs);
  else
    yield(now);
}

}  // namespace weir::shmem
