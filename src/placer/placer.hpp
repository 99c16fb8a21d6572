// SPDX-License-Identifier: Apache-2.0

// The one of this process: settings, large allocations, stacks, and who surveys them. Never destroyed, and usable
// before the library's constructor has run: without settings nothing is placed.
#pragma once

#include <atomic>

#include "placer/kept.hpp"
#include "placer/ranges.hpp"
#include "placer/settings.hpp"
#include "placer/survey.hpp"

namespace weir::placer {

struct Placer {
  Settings settings;
  Ranges large, stacks;
  Kept kept;
  Surveyor surveyor{settings, large, stacks, kept};
  std::atomic<int> failures{0};  // large allocations that are not placed
  // The program has forbidden itself system calls (restriction.cpp): from there on the library makes none of its own.
  std::atomic<bool> restricted{false};
  // The program has locked memory (locking.cpp): nothing that is freed is kept from there on.
  std::atomic<bool> locks{false};
  // What it maps from there on has pages at once: mlockall(), MCL_FUTURE.
  std::atomic<bool> fills{false};
};

extern constinit Placer the_placer;  // NOLINT(bugprone-dynamic-static-initializers): as it says

// Something large is about to go.
inline void consider() noexcept {
  if (!the_placer.restricted) the_placer.surveyor.consider();
}

}  // namespace weir::placer
