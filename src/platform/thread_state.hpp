// SPDX-License-Identifier: Apache-2.0

// Threads of this process as the kernel sees them, for people who ask why one does not get on. Any thread.
#pragma once

#include <string>

namespace weir::platform {

// The calling thread's number.
int this_thread_number() noexcept;

// What the thread sleeps in: "futex(), for a lock or another thread", "read()". Empty while it computes, and when that
// is not known.
std::string asleep_in(int thread);

}  // namespace weir::platform
