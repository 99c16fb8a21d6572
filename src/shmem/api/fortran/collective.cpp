// SPDX-License-Identifier: Apache-2.0

// Collectives of Fortran: those of active sets, by bytes (4, 8) or bits (32, 64) of an element, or by type.
#include "shmem/api/fortran/fortran.hpp"

namespace weir::shmem {
using fortran::count_of;
using fortran::Integer;

// clang-format off
#define WEIR_SHMEM_FORTRAN_TOGETHER(NAME, BITS)                                                                  \
  WEIR_SHMEM_FORTRAN(void, NAME, (void* dest, const void* source, const Integer* nelems, const Integer* PE_start, \
                                  const Integer* logPE_stride, const Integer* PE_size, Integer* pSync)) {        \
    p##BITS(dest, source, count_of(nelems), *PE_start, *logPE_stride, *PE_size, reinterpret_cast<long*>(pSync)); \
  }
#define WEIR_SHMEM_FORTRAN_WIDTH(SIZE, BITS)                                                                     \
  WEIR_SHMEM_FORTRAN(void, shmem_broadcast##SIZE,                                                                \
                     (void* dest, const void* source, const Integer* nelems, const Integer* PE_root,             \
                      const Integer* PE_start, const Integer* logPE_stride, const Integer* PE_size, Integer* pSync)) { \
    pshmem_broadcast##BITS(dest, source, count_of(nelems), *PE_root, *PE_start, *logPE_stride, *PE_size,         \
                           reinterpret_cast<long*>(pSync));                                                      \
  }                                                                                                              \
  WEIR_SHMEM_FORTRAN_TOGETHER(shmem_collect##SIZE, shmem_collect##BITS)                                          \
  WEIR_SHMEM_FORTRAN_TOGETHER(shmem_fcollect##SIZE, shmem_fcollect##BITS)
#define WEIR_SHMEM_FORTRAN_EXCHANGE(BITS)                                                                        \
  WEIR_SHMEM_FORTRAN_TOGETHER(shmem_alltoall##BITS, shmem_alltoall##BITS)                                        \
  WEIR_SHMEM_FORTRAN(void, shmem_alltoalls##BITS,                                                                \
                     (void* dest, const void* source, const Integer* dst, const Integer* sst,                    \
                      const Integer* nelems, const Integer* PE_start, const Integer* logPE_stride,               \
                      const Integer* PE_size, Integer* pSync)) {                                                 \
    pshmem_alltoalls##BITS(dest, source, *dst, *sst, count_of(nelems), *PE_start, *logPE_stride, *PE_size,       \
                           reinterpret_cast<long*>(pSync));                                                      \
  }

#define WEIR_SHMEM_FORTRAN_REDUCE(N, C, T, OP)                                                                   \
  WEIR_SHMEM_FORTRAN(void, shmem_##N##_##OP##_to_all,                                                            \
                     (T* dest, const T* source, const Integer* nreduce, const Integer* PE_start,                 \
                      const Integer* logPE_stride, const Integer* PE_size, T* pWrk, Integer* pSync)) {           \
    pshmem_##C##_##OP##_to_all(dest, source, *nreduce, *PE_start, *logPE_stride, *PE_size, pWrk,                 \
                               reinterpret_cast<long*>(pSync));                                                  \
  }
#define WEIR_SHMEM_FORTRAN_REDUCE_SUMS(N, C, T)        \
  WEIR_SHMEM_FORTRAN_REDUCE(N, C, T, sum)       \
  WEIR_SHMEM_FORTRAN_REDUCE(N, C, T, prod)
#define WEIR_SHMEM_FORTRAN_ORDERED(N, C, T)     \
  WEIR_SHMEM_FORTRAN_REDUCE_SUMS(N, C, T)              \
  WEIR_SHMEM_FORTRAN_REDUCE(N, C, T, min)       \
  WEIR_SHMEM_FORTRAN_REDUCE(N, C, T, max)
#define WEIR_SHMEM_FORTRAN_BITS(N, C, T)        \
  WEIR_SHMEM_FORTRAN_ORDERED(N, C, T)           \
  WEIR_SHMEM_FORTRAN_REDUCE(N, C, T, and)       \
  WEIR_SHMEM_FORTRAN_REDUCE(N, C, T, or)        \
  WEIR_SHMEM_FORTRAN_REDUCE(N, C, T, xor)
// clang-format on

WEIR_SHMEM_FORTRAN_WIDTH(4, 32)
WEIR_SHMEM_FORTRAN_WIDTH(8, 64)
WEIR_SHMEM_FORTRAN_WIDTH(32, 32)
WEIR_SHMEM_FORTRAN_WIDTH(64, 64)
WEIR_SHMEM_FORTRAN_EXCHANGE(32)
WEIR_SHMEM_FORTRAN_EXCHANGE(64)

WEIR_SHMEM_FORTRAN_BITS(int2, short, short)
WEIR_SHMEM_FORTRAN_BITS(int4, int, int)
WEIR_SHMEM_FORTRAN_BITS(int8, long, long)
WEIR_SHMEM_FORTRAN_ORDERED(real4, float, float)
WEIR_SHMEM_FORTRAN_ORDERED(real8, double, double)
WEIR_SHMEM_FORTRAN_REDUCE_SUMS(comp4, complexf, weir_shmem_complexf)
WEIR_SHMEM_FORTRAN_REDUCE_SUMS(comp8, complexd, weir_shmem_complexd)

WEIR_SHMEM_FORTRAN(void, shmem_barrier,
                   (const Integer* PE_start, const Integer* logPE_stride, const Integer* PE_size, Integer* pSync)) {
  pshmem_barrier(*PE_start, *logPE_stride, *PE_size, reinterpret_cast<long*>(pSync));
}
WEIR_SHMEM_FORTRAN(void, shmem_sync,
                   (const Integer* PE_start, const Integer* logPE_stride, const Integer* PE_size, Integer* pSync)) {
  pshmem_sync(*PE_start, *logPE_stride, *PE_size, reinterpret_cast<long*>(pSync));
}

}  // namespace weir::shmem
