// SPDX-License-Identifier: Apache-2.0

// What a program has printed and not written yet, for the end of a process that runs no handlers. Any thread.
#pragma once

#include <chrono>

namespace weir::platform {

// Writes what the streams of C hold, and the units of Fortran where its library (gfortran's) is there. Another thread
// may hold a stream for ever, as one does that waits for input: then it returns after `patience`, with what could be
// written.
void flush_streams(std::chrono::milliseconds patience) noexcept;

}  // namespace weir::platform
