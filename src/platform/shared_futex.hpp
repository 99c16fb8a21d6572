// SPDX-License-Identifier: Apache-2.0

// Sleep on a word of memory that several processes map, and wake those who do. Linux futex, not the private kind.
//
// No wake-up is lost when the sleeper reads the word before it looks at what it waits for, and the waker changes the
// word after it has made that true. Any thread of any process.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::platform {

// Returns when somebody wakes it, at once when the word is not `seen`, after `ns` nanoseconds at the latest, and at
// times without a reason.
void sleep_on(const std::atomic<std::uint32_t>& word, std::uint32_t seen, std::uint64_t ns) noexcept;

// All that sleep on it. Cost: a system call.
void wake_sleepers(const std::atomic<std::uint32_t>& word) noexcept;

}  // namespace weir::platform
