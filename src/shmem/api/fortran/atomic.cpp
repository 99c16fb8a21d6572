// SPDX-License-Identifier: Apache-2.0

// Atomics and waits of Fortran: INT4, INT8, REAL4, REAL8, and without a type the default INTEGER.
#include "shmem/rma/atomic.hpp"

#include "shmem/api/fortran/fortran.hpp"
#include "shmem/rma/wait.hpp"

namespace weir::shmem {
using fortran::Integer;

// clang-format off
#define WEIR_SHMEM_FORTRAN_SWAPS(N, T)                                                                       \
  WEIR_SHMEM_FORTRAN(T, shmem_##N##_fetch, (const T* source, const Integer* pe)) {                           \
    return atomic_fetch(default_context(), source, *pe);                                                     \
  }                                                                                                          \
  WEIR_SHMEM_FORTRAN(void, shmem_##N##_set, (T* dest, const T* value, const Integer* pe)) {                  \
    atomic_set(default_context(), dest, *value, *pe);                                                        \
  }                                                                                                          \
  WEIR_SHMEM_FORTRAN(T, shmem_##N##_swap, (T* dest, const T* value, const Integer* pe)) {                    \
    return atomic_swap(default_context(), dest, *value, *pe);                                                \
  }
#define WEIR_SHMEM_FORTRAN_SUMS(N, T)                                                                        \
  WEIR_SHMEM_FORTRAN(T, shmem_##N##_cswap, (T* dest, const T* cond, const T* value, const Integer* pe)) {    \
    return atomic_compare_swap(default_context(), dest, *cond, *value, *pe);                                 \
  }                                                                                                          \
  WEIR_SHMEM_FORTRAN(T, shmem_##N##_fadd, (T* dest, const T* value, const Integer* pe)) {                    \
    return atomic_fetch_add(default_context(), dest, *value, *pe);                                           \
  }                                                                                                          \
  WEIR_SHMEM_FORTRAN(T, shmem_##N##_finc, (T* dest, const Integer* pe)) {                                    \
    return atomic_fetch_add(default_context(), dest, T{1}, *pe);                                             \
  }                                                                                                          \
  WEIR_SHMEM_FORTRAN(void, shmem_##N##_add, (T* dest, const T* value, const Integer* pe)) {                  \
    atomic_add(default_context(), dest, *value, *pe);                                                        \
  }                                                                                                          \
  WEIR_SHMEM_FORTRAN(void, shmem_##N##_inc, (T* dest, const Integer* pe)) {                                  \
    atomic_add(default_context(), dest, T{1}, *pe);                                                          \
  }                                                                                                          \
  WEIR_SHMEM_FORTRAN_FLAT(void, shmem_##N##_wait, (T* ivar, const T* cmp_value)) {                           \
    wait_until(ivar, SHMEM_CMP_NE, *cmp_value);                                                              \
  }                                                                                                          \
  WEIR_SHMEM_FORTRAN_FLAT(void, shmem_##N##_wait_until, (T* ivar, const Integer* cmp, const T* cmp_value)) { \
    wait_until(ivar, *cmp, *cmp_value);                                                                      \
  }
// clang-format on

WEIR_SHMEM_FORTRAN_SWAPS(int4, std::int32_t)
WEIR_SHMEM_FORTRAN_SWAPS(int8, std::int64_t)
WEIR_SHMEM_FORTRAN_SWAPS(real4, float)
WEIR_SHMEM_FORTRAN_SWAPS(real8, double)
WEIR_SHMEM_FORTRAN_SUMS(int4, std::int32_t)
WEIR_SHMEM_FORTRAN_SUMS(int8, std::int64_t)

WEIR_SHMEM_FORTRAN(Integer, shmem_swap, (Integer * dest, const Integer* value, const Integer* pe)) {
  return atomic_swap(default_context(), dest, *value, *pe);
}
WEIR_SHMEM_FORTRAN_FLAT(void, shmem_wait, (Integer * ivar, const Integer* cmp_value)) {
  wait_until(ivar, SHMEM_CMP_NE, *cmp_value);
}
WEIR_SHMEM_FORTRAN_FLAT(void, shmem_wait_until, (Integer * ivar, const Integer* cmp, const Integer* cmp_value)) {
  wait_until(ivar, *cmp, *cmp_value);
}

}  // namespace weir::shmem
