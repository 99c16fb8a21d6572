// SPDX-License-Identifier: Apache-2.0

// The one of this process: settings, large allocations, stacks, and who surveys them. Never destroyed, and usable
// before the library's constructor has run: without settings nothing is placed.
#pragma once

#include "placer/ranges.hpp"
#include "placer/settings.hpp"
#include "placer/survey.hpp"

namespace weir::placer {

struct Placer {
  Settings settings;
  Ranges large, stacks;
  Surveyor surveyor{settings, large, stacks};
  std::atomic<int> failures{0};  // mbind() that the kernel has refused
};

extern constinit Placer the_placer;  // NOLINT(bugprone-dynamic-static-initializers): as it says

}  // namespace weir::placer
