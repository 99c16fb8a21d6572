// SPDX-License-Identifier: Apache-2.0

// What a layer above says of a runtime whose process is one of several that work together.
#pragma once

#include "weir/runtime.hpp"

namespace weir::runtime {

// Other processes wait for what tasks of the runtime write: those that became ready first run first
// (sched/policy/order.hpp). The thread that has made it, before it spawns.
void serve_others(Runtime& runtime) noexcept;

}  // namespace weir::runtime
