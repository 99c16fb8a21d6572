// SPDX-License-Identifier: Apache-2.0

// Threads of this process as the kernel sees them, for people who ask why one does not get on. Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace weir::platform {

// The calling thread's number.
int this_thread_number() noexcept;

// For how long the thread has had a processor since it began; 0 when that is not known. Below a microsecond.
std::uint64_t processor_ns(int thread) noexcept;

// Whether the thread waits for something, so that its processor is free for others; false when that is not known. No
// memory is asked for; microseconds.
bool is_asleep(int thread) noexcept;

// What the thread sleeps in: "futex(), for a lock or another thread", "read()". Empty while it computes, and when that
// is not known.
std::string asleep_in(int thread);

}  // namespace weir::platform
