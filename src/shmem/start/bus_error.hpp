// SPDX-License-Identifier: Apache-2.0

// What is said when a page of symmetric memory cannot be had, as when the host has no memory left: the kernel then ends
// the process with SIGBUS, "Bus error", in whatever line of the program touched the page first.
#pragma once

namespace weir::shmem {

// From start() to finish(): a SIGBUS in symmetric memory writes a line that names the memory and the PE it belongs to.
// Then, and for one elsewhere, the program's handler of before is called, or the process ends of the signal.
void name_bus_errors();
// A handler that the program has put in its place meanwhile stays.
void leave_bus_errors() noexcept;

}  // namespace weir::shmem
