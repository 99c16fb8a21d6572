// From whom to steal, and when to leave a victim its last task. Pure functions: tests/unit/sched/policy_test.cpp.
#pragma once

#include "sched/policy/snapshot.hpp"

namespace weir::sched::policy {

// Whether a thief may take from another domain now.
constexpr bool may_steal_far(const Thief& thief) noexcept {
  switch (thief.policy) {
    case Policy::flat: return true;
    case Policy::numa: return false;
    case Policy::near: return thief.searched_ns >= thief.far_after_ns;
  }
  return false;
}

// How long a lone task must have lain there before it is worth the cache lines it costs (docs/tuning.md#lone).
inline constexpr std::uint64_t kLoneNs = 1000;
// Spawning so many tasks between two looks means that the victim will soon be throttled or wait, and run it itself.
inline constexpr std::uint64_t kBusySpawns = 8;

// Whether to take the only task a victim has. Stealing one small task costs both sides more than running it: a
// producer of a chain would lose the chain to a thief that then trails it, line by line. So the thief waits until the
// task has lain still for a while and the victim is not busy spawning; a spawning victim comes back to it within
// `throttle` spawns.
constexpr bool may_take_last(const Look& earlier, const Look& now) noexcept {
  return earlier.version == now.version && now.at_ns - earlier.at_ns >= kLoneNs &&
         now.spawned - earlier.spawned < kBusySpawns;
}

}  // namespace weir::sched::policy
