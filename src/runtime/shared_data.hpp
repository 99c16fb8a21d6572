// SPDX-License-Identifier: Apache-2.0

// Which data one task waits for another: asked of what both have kept of their footprints.
#pragma once

#include "deps/conflict.hpp"
#include "explain/situation.hpp"
#include "sched/task.hpp"

namespace weir::runtime {

// A task of the program whose gate is closed (docs/protocols/gates.md), or that waits for one of which it is; and that
// has been submitted.
void describe(const sched::Task& task, detail::KeptFootprint& kept);

struct SharedData {
  bool found = false;
  bool sure = true;  // not found: there is none
  explain::Data data;
};

// `later` waits for the other, so that its blocks and watched arrays are there.
SharedData find_shared(const detail::KeptFootprint& earlier, const detail::KeptFootprint& later, deps::Between what);

}  // namespace weir::runtime
