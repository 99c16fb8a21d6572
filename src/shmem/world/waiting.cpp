// SPDX-License-Identifier: Apache-2.0

#include "shmem/world/waiting.hpp"

#include <sched.h>

#include <algorithm>

#include "platform/clock.hpp"
#include "shmem/world/world.hpp"

namespace weir::shmem {

namespace {

constexpr std::uint32_t kSpins = 1000;         // microseconds: longer than an answer takes of a PE that runs
constexpr std::uint32_t kSpinsShared = 40;     // where the PE waited for may need this processor
constexpr std::uint32_t kSpinsProgress = 20;   // where each round makes the transport's progress
constexpr std::uint64_t kYieldNs = 5'000'000;  // that long before it sleeps, when no PE needs the processor
constexpr std::uint64_t kYieldSharedNs = 500'000;
constexpr std::uint64_t kLongestSleepNs = 1'000'000;
constexpr std::uint32_t kLookEvery = 16;  // yields between looks at the clock

void end_if_lost() noexcept {
  if (const auto lost = world().transport->lost()) [[unlikely]]
    fail(base::Status{base::Code::lost, "a PE is lost"});
}

}  // namespace

Waiting::Waiting() noexcept
    : spins_(world().needs_progress      ? kSpinsProgress
             : world().is_oversubscribed ? kSpinsShared
                                         : kSpins) {}

void Waiting::pause_slow() noexcept {
  const World& w = world();
  if (w.transport == nullptr) fail("called before shmem_init or after shmem_finalize");
  if (w.needs_progress && w.transport->progress()) return;
  end_if_lost();
  ++round_;
  if (round_ % kLookEvery == 0) {
    const std::uint64_t now = platform::now_ns();
    if (slow_since_ns_ == 0) slow_since_ns_ = now;
    const std::uint64_t waited = now - slow_since_ns_;
    // A part of what it has waited, by which the wait gets longer at most. The transport looks after the others then.
    if (waited > (w.is_oversubscribed ? kYieldSharedNs : kYieldNs))
      return w.transport->wait_for_arrival(std::clamp<std::uint64_t>(waited / 20, 20'000, kLongestSleepNs));
  }
  sched_yield();
}

}  // namespace weir::shmem
