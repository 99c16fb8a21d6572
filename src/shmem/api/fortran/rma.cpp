// SPDX-License-Identifier: Apache-2.0

// Puts and gets of Fortran: by type (SHMEM_INTEGER_PUT), by bytes (4, 8) and by bits (32, 64, 128) of an element.
#include "shmem/rma/rma.hpp"

#include "shmem/api/fortran/fortran.hpp"

namespace weir::shmem::fortran {
namespace {

using Move = void (*)(Context&, void*, const void*, std::size_t, int);
using MoveStrided = void (*)(Context&, void*, const void*, const Strides&, int);

template <std::size_t Element>
void move(Move how, void* dest, const void* source, const Integer* nelems, const Integer* pe) {
  how(default_context(), dest, source, count_of(nelems) * Element, *pe);
}
template <std::size_t Element>
void move(MoveStrided how, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
          const Integer* nelems, const Integer* pe) {
  how(default_context(), dest, source, {dst, sst, 1, count_of(nelems), Element}, *pe);
}

}  // namespace
}  // namespace weir::shmem::fortran

namespace weir::shmem {
using fortran::Integer;

// clang-format off
#define WEIR_SHMEM_FORTRAN_MOVE(NAME, HOW, ELEMENT)                                                         \
  WEIR_SHMEM_FORTRAN(void, NAME, (void* dest, const void* source, const Integer* nelems, const Integer* pe)) { \
    fortran::move<ELEMENT>(HOW, dest, source, nelems, pe);                                                   \
  }
#define WEIR_SHMEM_FORTRAN_STRIDED(NAME, HOW, ELEMENT)                                                       \
  WEIR_SHMEM_FORTRAN(void, NAME, (void* dest, const void* source, const Integer* dst, const Integer* sst,    \
                                  const Integer* nelems, const Integer* pe)) {                               \
    fortran::move<ELEMENT>(HOW, dest, source, *dst, *sst, nelems, pe);                                       \
  }

// By the name of a type; CHARACTER has no strided ones.
#define WEIR_SHMEM_FORTRAN_TYPE(TYPE, ELEMENT)                          \
  WEIR_SHMEM_FORTRAN_MOVE(shmem_##TYPE##_put, put, ELEMENT)             \
  WEIR_SHMEM_FORTRAN_MOVE(shmem_##TYPE##_get, get, ELEMENT)             \
  WEIR_SHMEM_FORTRAN_MOVE(shmem_##TYPE##_put_nbi, put_nbi, ELEMENT)     \
  WEIR_SHMEM_FORTRAN_MOVE(shmem_##TYPE##_get_nbi, get_nbi, ELEMENT)
#define WEIR_SHMEM_FORTRAN_TYPE_STRIDED(TYPE, ELEMENT)                  \
  WEIR_SHMEM_FORTRAN_TYPE(TYPE, ELEMENT)                                \
  WEIR_SHMEM_FORTRAN_STRIDED(shmem_##TYPE##_iput, iput, ELEMENT)        \
  WEIR_SHMEM_FORTRAN_STRIDED(shmem_##TYPE##_iget, iget, ELEMENT)
// By a size; bytes without a type have no strided ones.
#define WEIR_SHMEM_FORTRAN_SIZE(SIZE, ELEMENT)                          \
  WEIR_SHMEM_FORTRAN_MOVE(shmem_put##SIZE, put, ELEMENT)                \
  WEIR_SHMEM_FORTRAN_MOVE(shmem_get##SIZE, get, ELEMENT)                \
  WEIR_SHMEM_FORTRAN_MOVE(shmem_put##SIZE##_nbi, put_nbi, ELEMENT)      \
  WEIR_SHMEM_FORTRAN_MOVE(shmem_get##SIZE##_nbi, get_nbi, ELEMENT)
#define WEIR_SHMEM_FORTRAN_SIZE_STRIDED(SIZE, ELEMENT)                  \
  WEIR_SHMEM_FORTRAN_SIZE(SIZE, ELEMENT)                                \
  WEIR_SHMEM_FORTRAN_STRIDED(shmem_iput##SIZE, iput, ELEMENT)           \
  WEIR_SHMEM_FORTRAN_STRIDED(shmem_iget##SIZE, iget, ELEMENT)
// clang-format on

WEIR_SHMEM_FORTRAN_TYPE(character, 1)
WEIR_SHMEM_FORTRAN_TYPE_STRIDED(complex, 8)
WEIR_SHMEM_FORTRAN_TYPE_STRIDED(double, 8)
WEIR_SHMEM_FORTRAN_TYPE_STRIDED(integer, 4)
WEIR_SHMEM_FORTRAN_TYPE_STRIDED(logical, 4)
WEIR_SHMEM_FORTRAN_TYPE_STRIDED(real, 4)
WEIR_SHMEM_FORTRAN_SIZE_STRIDED(4, 4)
WEIR_SHMEM_FORTRAN_SIZE_STRIDED(8, 8)
WEIR_SHMEM_FORTRAN_SIZE_STRIDED(32, 4)
WEIR_SHMEM_FORTRAN_SIZE_STRIDED(64, 8)
WEIR_SHMEM_FORTRAN_SIZE_STRIDED(128, 16)
WEIR_SHMEM_FORTRAN_SIZE(mem, 1)
// A word of the machine, as SHMEM_PUT of the first library had it.
WEIR_SHMEM_FORTRAN_MOVE(shmem_put, put, 8)
WEIR_SHMEM_FORTRAN_MOVE(shmem_get, get, 8)
WEIR_SHMEM_FORTRAN_STRIDED(shmem_iput, iput, 8)
WEIR_SHMEM_FORTRAN_STRIDED(shmem_iget, iget, 8)

}  // namespace weir::shmem
