/* SPDX-License-Identifier: Apache-2.0 */

/* What Weir has beyond OpenSHMEM. */
#ifndef SHMEMX_H
#define SHMEMX_H

#include "shmem.h"
#if defined(__cplusplus) ? __cplusplus < 201103L : !defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L
#pragma GCC system_header
#endif

/* A hint for shmem_malloc_with_hints(): memory of SHMEM_SYMMETRIC_PARTITION<n>, n from 1 on. Null where there is no such
 * partition. */
#define SHMEMX_MALLOC_PARTITION(n) ((long)(n) << 8)
/* Another: the allocation has no barrier at its end; who uses the memory of another PE has met it before. */
#define SHMEMX_MALLOC_NO_BARRIER 4L

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds since some time in the past, the same clock on all PEs of a host. */
double shmemx_wtime(void) WEIR_SHMEM_NOTHROW;
double pshmemx_wtime(void) WEIR_SHMEM_NOTHROW;

#ifdef __cplusplus
}
#endif

/* The 1.5 names of what 1.6 has under names of its own: shmemx_long_ibput, shmemx_long_sum_exscan and their like; generic
 * in C11, overloaded in C++. */
#ifdef __cplusplus
extern "C++" {
#define WEIR_SHMEM_INLINE inline
#elif defined(__GNUC__)
#define WEIR_SHMEM_INLINE static __inline /* in C90, too */
#else
#define WEIR_SHMEM_INLINE static inline
#endif
#define WEIR_SHMEMX_TYPED(R, N, T, NAME, PARAMETERS, ARGUMENTS) \
  WEIR_SHMEM_INLINE R shmemx_##N##NAME PARAMETERS WEIR_SHMEM_NOTHROW { return shmem_##N##NAME ARGUMENTS; }
#define WEIR_SHMEMX_WIDE_CTX(R, NAME, BYTES, WHAT, PARAMETERS, ARGUMENTS)                                       \
  WEIR_SHMEM_INLINE R shmemx_##NAME PARAMETERS WEIR_SHMEM_NOTHROW { shmem_##NAME ARGUMENTS; }                   \
  WEIR_SHMEM_INLINE R shmemx_ctx_##NAME(shmem_ctx_t ctx, WEIR_SHMEM_BARE PARAMETERS) WEIR_SHMEM_NOTHROW {       \
    shmem_ctx_##NAME(ctx, WEIR_SHMEM_BARE ARGUMENTS);                                                           \
  }
#define WEIR_SHMEMX_TYPED_CTX(R, N, T, NAME, PARAMETERS, ARGUMENTS) \
  WEIR_SHMEMX_WIDE_CTX(R, N##NAME, 0, NAME, PARAMETERS, ARGUMENTS)
WEIR_SHMEM_RMA_TYPES(WEIR_SHMEM_BLOCKS, WEIR_SHMEMX_TYPED_CTX)
WEIR_SHMEM_SIZES(WEIR_SHMEM_SIZED_BLOCKS, WEIR_SHMEMX_WIDE_CTX)
WEIR_SHMEM_REDUCE_SUM_TYPES(WEIR_SHMEM_SCAN, WEIR_SHMEMX_TYPED)
/* Threads need no number of their own here. */
WEIR_SHMEM_INLINE void shmemx_register_gettid(uint64_t (*gettid)(void)) { (void)gettid; }
#ifdef __cplusplus
}
#endif
#define shmemx_ibput shmem_ibput
#define shmemx_ibget shmem_ibget
#define shmemx_sum_inscan shmem_sum_inscan
#define shmemx_sum_exscan shmem_sum_exscan
#define shmemx_signal_add shmem_signal_add
#define shmemx_signal_set shmem_signal_set
#define shmemx_ctx_signal_add shmem_ctx_signal_add
#define shmemx_ctx_signal_set shmem_ctx_signal_set
#define shmemx_query_initialized shmem_query_initialized
#define shmemx_team_ptr shmem_team_ptr
#define SHMEMX_TEAM_NODE SHMEM_TEAM_SHARED
#define SHMEMX_TEAM_HOST SHMEM_TEAM_SHARED
#define HAVE_SHMEMX_WTIME

#endif
