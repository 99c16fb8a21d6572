// SPDX-License-Identifier: Apache-2.0

// Which blocks the tasks of an application touch, as the lower bound of `weir bench tiers` is computed from.
#pragma once

#include "sim/access_trace.hpp"

namespace weir::apps {

using sim::AccessTrace;
using sim::TracedAccess;

}  // namespace weir::apps
