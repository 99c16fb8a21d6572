// SPDX-License-Identifier: Apache-2.0

// What a process tells before its end (library.cpp). Any thread.
#pragma once

namespace weir::placer {

// Tells where memory is; nothing is told after it, nor placed, and no system call is made but in place of the
// program's. False where that was so before, or this process does not tell.
bool tell_and_be_quiet() noexcept;
// All goes on as before, and the end is told once more.
void be_quiet_no_longer() noexcept;

}  // namespace weir::placer
