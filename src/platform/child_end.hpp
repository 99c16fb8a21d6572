// SPDX-License-Identifier: Apache-2.0

// The end of a child process, seen without taking note of it: its number stays its own until it is waited for
// (Process::wait()), so that a signal sent to that number meets no other process.
#pragma once

#include <sys/types.h>

namespace weir::platform {

// What is no child of this process, or has been waited for, counts as ended.
void wait_for_end(pid_t child) noexcept;
bool has_ended(pid_t child) noexcept;  // does not wait

}  // namespace weir::platform
