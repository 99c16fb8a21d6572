// SPDX-License-Identifier: Apache-2.0

// How much an arena grows by at a time: pure functions, for arenas and for what simulates them.
#pragma once

#include <algorithm>
#include <cstddef>

namespace weir::memory {

// Half of what it has, at least a large page and at most a 256th of its budget, within these.
// docs/tuning/memory.md#arenas
inline constexpr std::size_t kLeastStep = std::size_t{2} << 20;
inline constexpr std::size_t kLeastMost = std::size_t{4} << 20, kMostStep = std::size_t{64} << 20;

constexpr std::size_t most_step(std::size_t budget) noexcept { return std::clamp(budget / 256, kLeastMost, kMostStep); }

constexpr std::size_t in_large_pages(std::size_t bytes) noexcept {
  return (bytes + kLeastStep - 1) / kLeastStep * kLeastStep;
}

// `populated`: bytes that it has.
constexpr std::size_t next_step(std::size_t populated, std::size_t budget) noexcept {
  return in_large_pages(std::clamp(populated / 2, kLeastStep, most_step(budget)));
}

// How far beyond `populated`, of which `free` bytes are in no use, pages are to be prepared when `expected` bytes more
// will be wanted: a step ahead, and what is expected as far as the largest step goes. 0: nothing.
constexpr std::size_t bytes_ahead(std::size_t expected, std::size_t free, std::size_t populated,
                                  std::size_t budget) noexcept {
  const std::size_t wanted = std::max(next_step(populated, budget), std::min(expected, kMostStep));
  return free >= wanted ? 0 : std::min(in_large_pages(wanted - free), budget - populated);
}

// Offsets from `begin` on.
struct DueGrowth {
  std::size_t begin = 0, bytes = 0;
};
// Of the `ahead` bytes beyond `populated` those that are to be prepared now: none of which somebody was asked for
// before, up to `announced`, and no fewer than are worth a step.
constexpr DueGrowth due_growth(std::size_t ahead, std::size_t announced, std::size_t populated,
                               std::size_t budget) noexcept {
  const std::size_t begin = std::max(announced, populated), end = populated + ahead;
  if (end <= begin) return {};
  const std::size_t worth = std::min(next_step(populated, budget), budget - begin);
  return end - begin < worth ? DueGrowth{} : DueGrowth{begin, end - begin};
}

// Nanoseconds for which the system clears a byte of new memory, on a core. docs/tuning/data.md#the-strategy-model
inline constexpr double kClearNs = 0.25;
// Memory that is prepared is cleared in pieces of this: who ends the thread that does it waits for one at most.
inline constexpr std::size_t kClearedPiece = std::size_t{4} << 20;

// What it asks for when at least `least` bytes are missing; the budget may have less.
constexpr std::size_t step_for(std::size_t least, std::size_t populated, std::size_t budget) noexcept {
  return std::max(in_large_pages(least), next_step(populated, budget));
}

}  // namespace weir::memory
