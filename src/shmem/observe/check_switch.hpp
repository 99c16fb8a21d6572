// SPDX-License-Identifier: Apache-2.0

// Whether WEIR_CHECK=1 asks for the calls of this program to be checked (World::is_checked).
#pragma once

namespace weir::shmem {

// At the start, once it is known which PE this is. A runtime of tasks in this process is then told that the variable is
// not for it. What is neither 0 nor 1 nor of `weir check` ends the program.
bool is_check_wanted();

}  // namespace weir::shmem
