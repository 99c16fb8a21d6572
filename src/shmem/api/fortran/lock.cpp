// SPDX-License-Identifier: Apache-2.0

// Locks of Fortran: in an INTEGER of four bytes, which the locks of rma/lock.hpp do not fit in.
//
// The word on PE 0 is 0 or the number of the PE that has the lock, from 1. Who waits asks again and again.
#include <fmt/format.h>

#include "shmem/api/fortran/fortran.hpp"
#include "shmem/rma/atomic.hpp"
#include "shmem/world/waiting.hpp"

namespace weir::shmem::fortran {
namespace {

constexpr int kHome = 0;

// 0: this PE has got it; else who has it, as the word says.
Integer try_lock(Integer* lock) { return atomic_compare_swap(default_context(), lock, 0, world().my_pe + 1, kHome); }

// One that this PE waits for for ever; another thread of it may have the lock.
void check_owner(Integer owner) noexcept {
  const World& w = world();
  if (owner < 0 || owner > w.n_pes)
    fail(
        fmt::format("the lock on PE {} holds {}, which no PE has set: a lock is 0 before its first use", kHome, owner));
  if (owner == w.my_pe + 1 && !w.is_threaded) fail("the lock is set by this PE already: it would wait for itself");
}

}  // namespace
}  // namespace weir::shmem::fortran

namespace weir::shmem {
using fortran::Integer;

WEIR_SHMEM_FORTRAN(void, shmem_set_lock, (Integer * lock)) {
  Waiting waiting;
  for (Integer owner = fortran::try_lock(lock); owner != 0; owner = fortran::try_lock(lock)) {
    fortran::check_owner(owner);
    waiting.pause({.kind = Awaited::Kind::lock, .bytes = sizeof(*lock), .pe = owner - 1, .word = lock});
  }
}
WEIR_SHMEM_FORTRAN(Integer, shmem_test_lock, (Integer * lock)) { return fortran::try_lock(lock) == 0 ? 0 : 1; }
WEIR_SHMEM_FORTRAN(void, shmem_clear_lock, (Integer * lock)) {
  quiet(default_context());
  const Integer owner = atomic_swap(default_context(), lock, 0, fortran::kHome);
  if (owner != world().my_pe + 1) fail("this PE has not got the lock");
}

}  // namespace weir::shmem
