// SPDX-License-Identifier: Apache-2.0

// Locks of Fortran: in an INTEGER of four bytes, which the locks of rma/lock.hpp do not fit in.
//
// The word on PE 0 is 0 or the number of the PE that has the lock, from 1. Who waits asks again and again.
#include "shmem/api/fortran/fortran.hpp"
#include "shmem/rma/atomic.hpp"
#include "shmem/world/waiting.hpp"

namespace weir::shmem::fortran {
namespace {

constexpr int kHome = 0;

bool try_lock(Integer* lock) { return atomic_compare_swap(default_context(), lock, 0, world().my_pe + 1, kHome) == 0; }

}  // namespace
}  // namespace weir::shmem::fortran

namespace weir::shmem {
using fortran::Integer;

WEIR_SHMEM_FORTRAN(void, shmem_set_lock, (Integer * lock)) {
  for (Waiting waiting; !fortran::try_lock(lock);)
    waiting.pause({.kind = Awaited::Kind::lock, .bytes = sizeof(*lock), .word = lock});
}
WEIR_SHMEM_FORTRAN(Integer, shmem_test_lock, (Integer * lock)) { return fortran::try_lock(lock) ? 0 : 1; }
WEIR_SHMEM_FORTRAN(void, shmem_clear_lock, (Integer * lock)) {
  quiet(default_context());
  const Integer owner = atomic_swap(default_context(), lock, 0, fortran::kHome);
  if (owner != world().my_pe + 1) fail("this PE has not got the lock");
}

}  // namespace weir::shmem
