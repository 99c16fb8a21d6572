// SPDX-License-Identifier: Apache-2.0

// Whom a thief asks for work, and in which order. Pure functions: tests/unit/sched/placement_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sched/policy/snapshot.hpp"

namespace weir::sched::policy {

// Numbers in a row that are as good as random for this (Numerical Recipes' generator). Each thief has its own.
constexpr std::uint32_t next_random(std::uint32_t random) noexcept { return random * 1664525u + 1013904223u; }

// Every worker of a domain once, beginning with any: thieves that ran dry at the same time ask different ones. Calls
// ask(index) until that gives something; that, or an empty result.
template <class Ask>
constexpr auto ask_round(std::uint32_t random, std::uint32_t count, Ask&& ask) {
  auto found = decltype(ask(count)){};
  auto at = static_cast<std::uint32_t>((std::uint64_t{random} * count) >> 32);
  for (std::uint32_t i = 0; i < count && !found; ++i, at = at + 1 == count ? 0 : at + 1) found = ask(at);
  return found;
}

// The other domains, nearest first; of those at the same distance the lower number. `distances`: from `own` to each.
inline std::vector<int> far_order(int own, std::span<const double> distances) {
  std::vector<int> order;
  for (int domain = 0; domain < static_cast<int>(distances.size()); ++domain)
    if (domain != own) order.push_back(domain);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return distances[static_cast<std::size_t>(a)] < distances[static_cast<std::size_t>(b)];
  });
  return order;
}

// Whether a thief may take from another domain at all, and whether it may now.
constexpr bool reaches_far(Policy policy) noexcept { return policy != Policy::numa; }
constexpr bool may_steal_far(const Thief& thief) noexcept {
  switch (thief.policy) {
    case Policy::flat: return true;
    case Policy::numa: return false;
    case Policy::near: return thief.searched_ns >= thief.far_after_ns;
  }
  return false;
}

}  // namespace weir::sched::policy
