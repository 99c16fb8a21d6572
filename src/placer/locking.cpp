// SPDX-License-Identifier: Apache-2.0

// mlock() and its relatives in the program. Freed memory that stays mapped would stay locked, and count as such; and
// memory that was freed before is not, though all that the program gets from then on may have to be. So none is kept in
// a program that locks any.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "placer/large.hpp"
#include "placer/placer.hpp"

namespace {

void keep_no_more() noexcept {
  if (!weir::placer::the_placer.locks.exchange(true)) weir::placer::give_back_kept();
}

}  // namespace

#define WEIR_PLACER_EXPORT extern "C" __attribute__((visibility("default")))

WEIR_PLACER_EXPORT int mlock(const void* data, size_t size) noexcept {
  keep_no_more();
  return static_cast<int>(syscall(SYS_mlock, data, size));
}

WEIR_PLACER_EXPORT int mlock2(const void* data, size_t size, unsigned flags) noexcept {
  keep_no_more();
  return static_cast<int>(flags == 0 ? syscall(SYS_mlock, data, size) : syscall(SYS_mlock2, data, size, flags));
}

WEIR_PLACER_EXPORT int mlockall(int flags) noexcept {
  keep_no_more();
  if ((flags & MCL_FUTURE) != 0) weir::placer::the_placer.fills = true;
  return static_cast<int>(syscall(SYS_mlockall, flags));
}
