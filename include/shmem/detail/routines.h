/* SPDX-License-Identifier: Apache-2.0 */

/* OpenSHMEM's routines that exist for many types, once: prototypes, generic forms, overloads, the functions and
 * the manual pages are made from these lists and those of types.h.
 *
 * A group calls X(result, N, T, end of the name, (parameters), (arguments)) for each of its routines: for _put, float
 * and float that is shmem_float_put. Routines of groups that say "contexts" exist as shmem_ctx_float_put, too, with a
 * shmem_ctx_t before the other parameters. */
#ifndef WEIR_SHMEM_ROUTINES_H
#define WEIR_SHMEM_ROUTINES_H

#include "types.h"

/* clang-format off */

/* Contexts. RMA_TYPES. Those of blocks have names of their own in shmemx.h, too. */
#define WEIR_SHMEM_BLOCKS(X, N, T) \
  X(void, N, T, _ibput, (T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe), \
    (dest, source, dst, sst, bsize, nblocks, pe)) \
  X(void, N, T, _ibget, (T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe), \
    (dest, source, dst, sst, bsize, nblocks, pe))
#define WEIR_SHMEM_RMA(X, N, T) \
  X(void, N, T, _put, (T *dest, const T *source, size_t nelems, int pe), (dest, source, nelems, pe)) \
  X(void, N, T, _get, (T *dest, const T *source, size_t nelems, int pe), (dest, source, nelems, pe)) \
  X(void, N, T, _put_nbi, (T *dest, const T *source, size_t nelems, int pe), (dest, source, nelems, pe)) \
  X(void, N, T, _get_nbi, (T *dest, const T *source, size_t nelems, int pe), (dest, source, nelems, pe)) \
  X(void, N, T, _p, (T *dest, T value, int pe), (dest, value, pe)) \
  X(T, N, T, _g, (const T *source, int pe), (source, pe)) \
  X(void, N, T, _iput, (T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe), \
    (dest, source, dst, sst, nelems, pe)) \
  X(void, N, T, _iget, (T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe), \
    (dest, source, dst, sst, nelems, pe)) \
  WEIR_SHMEM_BLOCKS(X, N, T) \
  X(void, N, T, _put_signal, \
    (T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe), \
    (dest, source, nelems, sig_addr, signal, sig_op, pe)) \
  X(void, N, T, _put_signal_nbi, \
    (T *dest, const T *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe), \
    (dest, source, nelems, sig_addr, signal, sig_op, pe))

/* Contexts. EXT_TYPES. */
#define WEIR_SHMEM_EXT(X, N, T) \
  X(T, N, T, _atomic_fetch, (const T *source, int pe), (source, pe)) \
  X(void, N, T, _atomic_set, (T *dest, T value, int pe), (dest, value, pe)) \
  X(T, N, T, _atomic_swap, (T *dest, T value, int pe), (dest, value, pe)) \
  X(void, N, T, _atomic_fetch_nbi, (T *fetch, const T *source, int pe), (fetch, source, pe)) \
  X(void, N, T, _atomic_swap_nbi, (T *fetch, T *dest, T value, int pe), (fetch, dest, value, pe))

/* Contexts. AMO_TYPES. */
#define WEIR_SHMEM_AMO(X, N, T) \
  X(T, N, T, _atomic_compare_swap, (T *dest, T cond, T value, int pe), (dest, cond, value, pe)) \
  X(T, N, T, _atomic_fetch_inc, (T *dest, int pe), (dest, pe)) \
  X(void, N, T, _atomic_inc, (T *dest, int pe), (dest, pe)) \
  X(T, N, T, _atomic_fetch_add, (T *dest, T value, int pe), (dest, value, pe)) \
  X(void, N, T, _atomic_add, (T *dest, T value, int pe), (dest, value, pe)) \
  X(void, N, T, _atomic_compare_swap_nbi, (T *fetch, T *dest, T cond, T value, int pe), (fetch, dest, cond, value, pe)) \
  X(void, N, T, _atomic_fetch_inc_nbi, (T *fetch, T *dest, int pe), (fetch, dest, pe)) \
  X(void, N, T, _atomic_fetch_add_nbi, (T *fetch, T *dest, T value, int pe), (fetch, dest, value, pe))

/* Contexts. BIT_TYPES. */
#define WEIR_SHMEM_BIT(X, N, T) \
  X(T, N, T, _atomic_fetch_and, (T *dest, T value, int pe), (dest, value, pe)) \
  X(void, N, T, _atomic_and, (T *dest, T value, int pe), (dest, value, pe)) \
  X(T, N, T, _atomic_fetch_or, (T *dest, T value, int pe), (dest, value, pe)) \
  X(void, N, T, _atomic_or, (T *dest, T value, int pe), (dest, value, pe)) \
  X(T, N, T, _atomic_fetch_xor, (T *dest, T value, int pe), (dest, value, pe)) \
  X(void, N, T, _atomic_xor, (T *dest, T value, int pe), (dest, value, pe)) \
  X(void, N, T, _atomic_fetch_and_nbi, (T *fetch, T *dest, T value, int pe), (fetch, dest, value, pe)) \
  X(void, N, T, _atomic_fetch_or_nbi, (T *fetch, T *dest, T value, int pe), (fetch, dest, value, pe)) \
  X(void, N, T, _atomic_fetch_xor_nbi, (T *fetch, T *dest, T value, int pe), (fetch, dest, value, pe))

/* P2P_TYPES. */
#define WEIR_SHMEM_WAIT(X, N, T) \
  X(void, N, T, _wait_until, (T *ivar, int cmp, T cmp_value), (ivar, cmp, cmp_value)) \
  X(int, N, T, _test, (T *ivar, int cmp, T cmp_value), (ivar, cmp, cmp_value))

/* AMO_TYPES. */
#define WEIR_SHMEM_WAIT_SEVERAL(X, N, T) \
  X(void, N, T, _wait_until_all, (T *ivars, size_t nelems, const int *status, int cmp, T cmp_value), \
    (ivars, nelems, status, cmp, cmp_value)) \
  X(size_t, N, T, _wait_until_any, (T *ivars, size_t nelems, const int *status, int cmp, T cmp_value), \
    (ivars, nelems, status, cmp, cmp_value)) \
  X(size_t, N, T, _wait_until_some, \
    (T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, T cmp_value), \
    (ivars, nelems, indices, status, cmp, cmp_value)) \
  X(int, N, T, _test_all, (T *ivars, size_t nelems, const int *status, int cmp, T cmp_value), \
    (ivars, nelems, status, cmp, cmp_value)) \
  X(size_t, N, T, _test_any, (T *ivars, size_t nelems, const int *status, int cmp, T cmp_value), \
    (ivars, nelems, status, cmp, cmp_value)) \
  X(size_t, N, T, _test_some, (T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, T cmp_value), \
    (ivars, nelems, indices, status, cmp, cmp_value)) \
  X(void, N, T, _wait_until_all_vector, (T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values), \
    (ivars, nelems, status, cmp, cmp_values)) \
  X(size_t, N, T, _wait_until_any_vector, (T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values), \
    (ivars, nelems, status, cmp, cmp_values)) \
  X(size_t, N, T, _wait_until_some_vector, \
    (T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, const T *cmp_values), \
    (ivars, nelems, indices, status, cmp, cmp_values)) \
  X(int, N, T, _test_all_vector, (T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values), \
    (ivars, nelems, status, cmp, cmp_values)) \
  X(size_t, N, T, _test_any_vector, (T *ivars, size_t nelems, const int *status, int cmp, const T *cmp_values), \
    (ivars, nelems, status, cmp, cmp_values)) \
  X(size_t, N, T, _test_some_vector, \
    (T *ivars, size_t nelems, size_t *indices, const int *status, int cmp, const T *cmp_values), \
    (ivars, nelems, indices, status, cmp, cmp_values))

/* RMA_TYPES. */
#define WEIR_SHMEM_COLLECTIVE(X, N, T) \
  X(int, N, T, _broadcast, (shmem_team_t team, T *dest, const T *source, size_t nelems, int PE_root), \
    (team, dest, source, nelems, PE_root)) \
  X(int, N, T, _collect, (shmem_team_t team, T *dest, const T *source, size_t nelems), (team, dest, source, nelems)) \
  X(int, N, T, _fcollect, (shmem_team_t team, T *dest, const T *source, size_t nelems), (team, dest, source, nelems)) \
  X(int, N, T, _alltoall, (shmem_team_t team, T *dest, const T *source, size_t nelems), (team, dest, source, nelems)) \
  X(int, N, T, _alltoalls, \
    (shmem_team_t team, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems), \
    (team, dest, source, dst, sst, nelems))

/* REDUCE_BITS_TYPES, RMA_TYPES, REDUCE_SUM_TYPES, REDUCE_SUM_TYPES. */
#define WEIR_SHMEM_REDUCE_BITS(X, N, T) \
  X(int, N, T, _and_reduce, (shmem_team_t team, T *dest, const T *source, size_t nreduce), (team, dest, source, nreduce)) \
  X(int, N, T, _or_reduce, (shmem_team_t team, T *dest, const T *source, size_t nreduce), (team, dest, source, nreduce)) \
  X(int, N, T, _xor_reduce, (shmem_team_t team, T *dest, const T *source, size_t nreduce), (team, dest, source, nreduce))
#define WEIR_SHMEM_REDUCE_MINMAX(X, N, T) \
  X(int, N, T, _max_reduce, (shmem_team_t team, T *dest, const T *source, size_t nreduce), (team, dest, source, nreduce)) \
  X(int, N, T, _min_reduce, (shmem_team_t team, T *dest, const T *source, size_t nreduce), (team, dest, source, nreduce))
#define WEIR_SHMEM_REDUCE_SUM(X, N, T) \
  X(int, N, T, _sum_reduce, (shmem_team_t team, T *dest, const T *source, size_t nreduce), (team, dest, source, nreduce)) \
  X(int, N, T, _prod_reduce, (shmem_team_t team, T *dest, const T *source, size_t nreduce), (team, dest, source, nreduce))
#define WEIR_SHMEM_SCAN(X, N, T) \
  X(int, N, T, _sum_inscan, (shmem_team_t team, T *dest, const T *source, size_t nelems), (team, dest, source, nelems)) \
  X(int, N, T, _sum_exscan, (shmem_team_t team, T *dest, const T *source, size_t nelems), (team, dest, source, nelems))

/* Elements of BITS bits, BYTES bytes, without a type: X(result, name, BYTES, what it does, parameters, arguments).
 * Contexts. */
#define WEIR_SHMEM_SIZED(X, BITS, BYTES) \
  X(void, put##BITS, BYTES, _put, (void *dest, const void *source, size_t nelems, int pe), (dest, source, nelems, pe)) \
  X(void, get##BITS, BYTES, _get, (void *dest, const void *source, size_t nelems, int pe), (dest, source, nelems, pe)) \
  X(void, put##BITS##_nbi, BYTES, _put_nbi, (void *dest, const void *source, size_t nelems, int pe), \
    (dest, source, nelems, pe)) \
  X(void, get##BITS##_nbi, BYTES, _get_nbi, (void *dest, const void *source, size_t nelems, int pe), \
    (dest, source, nelems, pe)) \
  X(void, put##BITS##_signal, BYTES, _put_signal, \
    (void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe), \
    (dest, source, nelems, sig_addr, signal, sig_op, pe)) \
  X(void, put##BITS##_signal_nbi, BYTES, _put_signal_nbi, \
    (void *dest, const void *source, size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe), \
    (dest, source, nelems, sig_addr, signal, sig_op, pe))
#define WEIR_SHMEM_SIZED_BLOCKS(X, BITS, BYTES) \
  X(void, ibput##BITS, BYTES, _ibput, \
    (void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe), \
    (dest, source, dst, sst, bsize, nblocks, pe)) \
  X(void, ibget##BITS, BYTES, _ibget, \
    (void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe), \
    (dest, source, dst, sst, bsize, nblocks, pe))
#define WEIR_SHMEM_SIZED_STRIDED(X, BITS, BYTES) \
  X(void, iput##BITS, BYTES, _iput, \
    (void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe), \
    (dest, source, dst, sst, nelems, pe)) \
  X(void, iget##BITS, BYTES, _iget, \
    (void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe), \
    (dest, source, dst, sst, nelems, pe)) \
  WEIR_SHMEM_SIZED_BLOCKS(X, BITS, BYTES)

/* Deprecated. OLD_EXT. */
#define WEIR_SHMEM_OLD_SWAPS(X, N, T) \
  X(T, N, T, _fetch, (const T *source, int pe), (source, pe)) \
  X(void, N, T, _set, (T *dest, T value, int pe), (dest, value, pe)) \
  X(T, N, T, _swap, (T *dest, T value, int pe), (dest, value, pe))
/* Deprecated. OLD_AMO. */
#define WEIR_SHMEM_OLD_SUMS(X, N, T) \
  X(T, N, T, _cswap, (T *dest, T cond, T value, int pe), (dest, cond, value, pe)) \
  X(T, N, T, _finc, (T *dest, int pe), (dest, pe)) \
  X(void, N, T, _inc, (T *dest, int pe), (dest, pe)) \
  X(T, N, T, _fadd, (T *dest, T value, int pe), (dest, value, pe)) \
  X(void, N, T, _add, (T *dest, T value, int pe), (dest, value, pe))
/* Deprecated. P2P_TYPES. */
#define WEIR_SHMEM_OLD_WAIT(X, N, T) X(void, N, T, _wait, (T *ivar, T cmp_value), (ivar, cmp_value))

/* Deprecated: active sets. TO_ALL_BITS, TO_ALL_MINMAX, TO_ALL_SUM. */
#define WEIR_SHMEM_TO_ALL(X, N, T, NAME) \
  X(void, N, T, NAME, \
    (T *dest, const T *source, int nreduce, int PE_start, int logPE_stride, int PE_size, T *pWrk, long *pSync), \
    (dest, source, nreduce, PE_start, logPE_stride, PE_size, pWrk, pSync))
#define WEIR_SHMEM_OLD_BITS(X, N, T) \
  WEIR_SHMEM_TO_ALL(X, N, T, _and_to_all) WEIR_SHMEM_TO_ALL(X, N, T, _or_to_all) WEIR_SHMEM_TO_ALL(X, N, T, _xor_to_all)
#define WEIR_SHMEM_OLD_MINMAX(X, N, T) WEIR_SHMEM_TO_ALL(X, N, T, _max_to_all) WEIR_SHMEM_TO_ALL(X, N, T, _min_to_all)
#define WEIR_SHMEM_OLD_SUM(X, N, T) WEIR_SHMEM_TO_ALL(X, N, T, _sum_to_all) WEIR_SHMEM_TO_ALL(X, N, T, _prod_to_all)

/* Deprecated: active sets, elements of 32 and 64 bits. */
#define WEIR_SHMEM_OLD_COLLECTIVE(X, BITS, BYTES) \
  X(void, broadcast##BITS, BYTES, _broadcast, \
    (void *dest, const void *source, size_t nelems, int PE_root, int PE_start, int logPE_stride, int PE_size, \
     long *pSync), \
    (dest, source, nelems, PE_root, PE_start, logPE_stride, PE_size, pSync)) \
  X(void, collect##BITS, BYTES, _collect, \
    (void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long *pSync), \
    (dest, source, nelems, PE_start, logPE_stride, PE_size, pSync)) \
  X(void, fcollect##BITS, BYTES, _fcollect, \
    (void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long *pSync), \
    (dest, source, nelems, PE_start, logPE_stride, PE_size, pSync)) \
  X(void, alltoall##BITS, BYTES, _alltoall, \
    (void *dest, const void *source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long *pSync), \
    (dest, source, nelems, PE_start, logPE_stride, PE_size, pSync)) \
  X(void, alltoalls##BITS, BYTES, _alltoalls, \
    (void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int PE_start, int logPE_stride, \
     int PE_size, long *pSync), \
    (dest, source, dst, sst, nelems, PE_start, logPE_stride, PE_size, pSync))

/* clang-format on */

#endif
