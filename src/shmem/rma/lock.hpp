// SPDX-License-Identifier: Apache-2.0

// Locks in a symmetric long of the program's, 0 at first: a queue of PEs, in the order in which they came.
//
// Who waits looks at a word of its own PE only. Any thread; threads of one PE exclude one another, too. The steps are
// in docs/protocols/shmem.md.
#pragma once

namespace weir::shmem {

void set_lock(long* lock);
// Quiets the default context first. Ends the program when this PE has not got the lock, whoever has.
void clear_lock(long* lock);
// Gets the lock if it is free: true; never waits.
bool test_lock(long* lock);

}  // namespace weir::shmem
