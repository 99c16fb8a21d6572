// SPDX-License-Identifier: Apache-2.0

// This system for what all threads of the process share, each of which may be bound to other CPUs. Any thread.
#pragma once

#include "base/result.hpp"
#include "machine/machine.hpp"

namespace weir::machine {

// As Machine::discover(), with all CPUs that the cpuset allows, whatever mask the calling thread has.
base::Result<Machine> discover_for_all_threads();

}  // namespace weir::machine
