// SPDX-License-Identifier: Apache-2.0

// Start and end of the library in a process: finds the other PEs, makes the symmetric memory, and gives it up again.
//
// Collective over the world. Calls are counted (1.6): the first start() does the work, the last finish() undoes it.
#pragma once

#include "shmem/world/world.hpp"

namespace weir::shmem {

// Returns the thread level that is given, at least the one asked for. A later call returns what the first gave. Ends
// the program, with what was asked and what there is, when there can be no start. At exit() what was started is
// finished, if the program has not done so.
ThreadLevel start(ThreadLevel level);
// As shmem_init does: also by start_pes(), which may be called again and is counted once.
void start_once();
// The last one quiets the default context and all others, waits for all PEs, and gives the memory up. Without a start:
// nothing.
void finish();
bool is_started() noexcept;

}  // namespace weir::shmem
