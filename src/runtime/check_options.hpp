// SPDX-License-Identifier: Apache-2.0

// What a runtime would refuse of its options, known before there is one: `weir run` asks before it starts a program.
#pragma once

#include "base/result.hpp"
#include "machine/machine.hpp"
#include "weir/options.hpp"

namespace weir::runtime {

// This system, or the one that options.machine describes.
base::Result<machine::Machine> find_machine(const Options& options);

// The machine, the tiers on it, the file of the trace and the checkpoint to go on from are there, or can be made.
// Leaves nothing behind. What others take meanwhile (memory, a disk's room) may still be missing when the runtime
// starts. Milliseconds.
base::Status check_options(const Options& options);

}  // namespace weir::runtime
