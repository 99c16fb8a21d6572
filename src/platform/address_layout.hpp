// SPDX-License-Identifier: Apache-2.0

// Where a program, its libraries and its memory lie among the addresses of a process.
#pragma once

namespace weir::platform {

// What this process, and its children, become by exec() lies where it lies in all processes that have called this and
// run the same program: the system places nothing at random. False: it does not allow that, as in some containers. Any
// thread; does not allocate.
bool use_common_addresses() noexcept;

}  // namespace weir::platform
