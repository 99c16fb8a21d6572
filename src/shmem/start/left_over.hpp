// SPDX-License-Identifier: Apache-2.0

// What a program has not destroyed when it ends (WEIR_CHECK=1).
#pragma once

namespace weir::shmem {

// Ends the program for a context with SHMEM_CTX_PRIVATE, which shmem_finalize() does not destroy. Of other contexts and
// of teams there is a note on standard error. Allocations are freed by shmem_finalize(): of them nothing is said.
void check_left_over();

}  // namespace weir::shmem
