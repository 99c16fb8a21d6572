// SPDX-License-Identifier: Apache-2.0

// The symmetric heap of Fortran: lengths in INTEGERs, Cray pointers, an error code or the end of the program.
#include "shmem/api/fortran/fortran.hpp"
#include "shmem/heap/heap.hpp"

namespace weir::shmem::fortran {
namespace {

// As in shmem.fh: SHMEM_MALLOC_...
enum Error : Integer { kOk = 0, kBadSize = -1, kNoRoom = -2, kNotInHeap = -3, kAlreadyFree = -4, kNotAtStart = -5 };

void answer(Error error, const char* what, Integer* code, const Integer* abort) {
  if (error != kOk && *abort != 0) fail(what);
  *code = error;
}

bool is_length(const Integer* length, Integer* code, const Integer* abort) {
  if (*length > 0) return true;
  answer(kBadSize, "the length is not positive", code, abort);
  return false;
}
bool is_block(const void* data, Integer* code, const Integer* abort) {
  switch (block_at(data)) {
    case BlockState::allocation: return true;
    case BlockState::inside:
      answer(kNotAtStart, "the pointer is inside of a block: give the one that SHPALLOC has set", code, abort);
      break;
    case BlockState::free: answer(kAlreadyFree, "the block is free: it was given back before", code, abort); break;
    case BlockState::not_in_heap:
      answer(kNotInHeap, "the pointer is not one that SHPALLOC has set: it is not in the symmetric heap", code, abort);
      break;
  }
  return false;
}

}  // namespace
}  // namespace weir::shmem::fortran

namespace weir::shmem {
using fortran::Integer;

WEIR_SHMEM_FORTRAN(void, shpalloc, (void** addr, const Integer* length, Integer* errcode, const Integer* abort)) {
  if (!fortran::is_length(length, errcode, abort)) return;
  *addr = pshmem_malloc(fortran::count_of(length) * sizeof(Integer));
  fortran::answer(*addr != nullptr ? fortran::kOk : fortran::kNoRoom,
                  "the symmetric heap has no room for it: set SHMEM_SYMMETRIC_SIZE", errcode, abort);
}
WEIR_SHMEM_FORTRAN(void, shpdeallc, (void** addr, Integer* errcode, const Integer* abort)) {
  if (!fortran::is_block(*addr, errcode, abort)) return;
  pshmem_free(*addr);
  *errcode = fortran::kOk;
}
// Status 1: the block was moved.
WEIR_SHMEM_FORTRAN(void, shpclmove, (void** addr, const Integer* length, Integer* status, const Integer* abort)) {
  if (!fortran::is_length(length, status, abort) || !fortran::is_block(*addr, status, abort)) return;
  void* const moved = pshmem_realloc(*addr, fortran::count_of(length) * sizeof(Integer));
  if (moved == nullptr) {
    fortran::answer(fortran::kNoRoom, "the symmetric heap has no room for it: set SHMEM_SYMMETRIC_SIZE", status, abort);
    return;
  }
  *status = moved != *addr ? 1 : 0;
  *addr = moved;
}

}  // namespace weir::shmem
