/* SPDX-License-Identifier: Apache-2.0 */

/* The routines that exist once: X(result, name, (parameters)). */
#ifndef WEIR_SHMEM_PLAIN_H
#define WEIR_SHMEM_PLAIN_H

/* clang-format off */

/* Start, end, who and where. */
#define WEIR_SHMEM_SETUP(X) \
  X(void, shmem_init, (void)) \
  X(int, shmem_init_thread, (int requested, int *provided)) \
  X(void, shmem_query_thread, (int *provided)) \
  X(void, shmem_query_initialized, (int *initialized)) \
  X(void, shmem_finalize, (void)) \
  X(int, shmem_my_pe, (void)) \
  X(int, shmem_n_pes, (void)) \
  X(int, shmem_pe_accessible, (int pe)) \
  X(int, shmem_addr_accessible, (const void *addr, int pe)) \
  X(void *, shmem_ptr, (const void *dest, int pe)) \
  X(void *, shmem_team_ptr, (shmem_team_t team, const void *dest, int pe)) \
  X(void, shmem_info_get_version, (int *major, int *minor)) \
  X(void, shmem_info_get_name, (char *name))

/* Memory. */
#define WEIR_SHMEM_MEMORY(X) \
  X(void *, shmem_malloc, (size_t size)) \
  X(void *, shmem_calloc, (size_t count, size_t size)) \
  X(void *, shmem_align, (size_t alignment, size_t size)) \
  X(void *, shmem_realloc, (void *ptr, size_t size)) \
  X(void *, shmem_malloc_with_hints, (size_t size, long hints)) \
  X(void, shmem_free, (void *ptr))

/* Teams and contexts. */
#define WEIR_SHMEM_TEAMS(X) \
  X(int, shmem_team_my_pe, (shmem_team_t team)) \
  X(int, shmem_team_n_pes, (shmem_team_t team)) \
  X(int, shmem_team_get_config, (shmem_team_t team, long config_mask, shmem_team_config_t *config)) \
  X(int, shmem_team_translate_pe, (shmem_team_t src_team, int src_pe, shmem_team_t dest_team)) \
  X(int, shmem_team_split_strided, \
    (shmem_team_t parent_team, int start, int stride, int size, const shmem_team_config_t *config, long config_mask, \
     shmem_team_t *new_team)) \
  X(int, shmem_team_split_2d, \
    (shmem_team_t parent_team, int xrange, const shmem_team_config_t *xaxis_config, long xaxis_mask, \
     shmem_team_t *xaxis_team, const shmem_team_config_t *yaxis_config, long yaxis_mask, shmem_team_t *yaxis_team)) \
  X(void, shmem_team_destroy, (shmem_team_t team)) \
  X(int, shmem_ctx_create, (long options, shmem_ctx_t *ctx)) \
  X(int, shmem_team_create_ctx, (shmem_team_t team, long options, shmem_ctx_t *ctx)) \
  X(void, shmem_ctx_destroy, (shmem_ctx_t ctx)) \
  X(int, shmem_ctx_get_team, (shmem_ctx_t ctx, shmem_team_t *team)) \
  X(void, shmem_ctx_session_start, \
    (shmem_ctx_t ctx, long options, const shmem_ctx_session_config_t *config, long config_mask)) \
  X(void, shmem_ctx_session_stop, (shmem_ctx_t ctx))

/* Order, signals, locks. */
#define WEIR_SHMEM_ORDER(X) \
  X(void, shmem_fence, (void)) \
  X(void, shmem_ctx_fence, (shmem_ctx_t ctx)) \
  X(void, shmem_quiet, (void)) \
  X(void, shmem_ctx_quiet, (shmem_ctx_t ctx)) \
  X(void, shmem_pe_quiet, (const int *target_pes, size_t npes)) \
  X(void, shmem_ctx_pe_quiet, (shmem_ctx_t ctx, const int *target_pes, size_t npes)) \
  X(void, shmem_signal_add, (uint64_t *sig_addr, uint64_t signal, int pe)) \
  X(void, shmem_ctx_signal_add, (shmem_ctx_t ctx, uint64_t *sig_addr, uint64_t signal, int pe)) \
  X(void, shmem_signal_set, (uint64_t *sig_addr, uint64_t signal, int pe)) \
  X(void, shmem_ctx_signal_set, (shmem_ctx_t ctx, uint64_t *sig_addr, uint64_t signal, int pe)) \
  X(uint64_t, shmem_signal_fetch, (const uint64_t *sig_addr)) \
  X(uint64_t, shmem_signal_wait_until, (uint64_t *sig_addr, int cmp, uint64_t cmp_value)) \
  X(void, shmem_set_lock, (long *lock)) \
  X(void, shmem_clear_lock, (long *lock)) \
  X(int, shmem_test_lock, (long *lock)) \
  X(void, shmem_pcontrol, (int level, ...))

/* Collectives. */
#define WEIR_SHMEM_TOGETHER(X) \
  X(void, shmem_barrier_all, (void)) \
  X(void, shmem_sync_all, (void)) \
  X(int, shmem_team_sync, (shmem_team_t team)) \
  X(int, shmem_broadcastmem, (shmem_team_t team, void *dest, const void *source, size_t nelems, int PE_root)) \
  X(int, shmem_collectmem, (shmem_team_t team, void *dest, const void *source, size_t nelems)) \
  X(int, shmem_fcollectmem, (shmem_team_t team, void *dest, const void *source, size_t nelems)) \
  X(int, shmem_alltoallmem, (shmem_team_t team, void *dest, const void *source, size_t nelems)) \
  X(int, shmem_alltoallsmem, \
    (shmem_team_t team, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems))

/* Deprecated. */
#define WEIR_SHMEM_OLD(X) \
  X(void, start_pes, (int npes)) \
  X(int, _my_pe, (void)) \
  X(int, _num_pes, (void)) \
  X(void, globalexit, (int status)) \
  X(void *, shmalloc, (size_t size)) \
  X(void *, shmemalign, (size_t alignment, size_t size)) \
  X(void *, shrealloc, (void *ptr, size_t size)) \
  X(void, shfree, (void *ptr)) \
  X(void, shmem_wait, (long *ivar, long cmp_value)) \
  X(void, shmem_wait_until, (long *ivar, int cmp, long cmp_value)) \
  X(void, shmem_barrier, (int PE_start, int logPE_stride, int PE_size, long *pSync)) \
  X(void, shmem_sync, (int PE_start, int logPE_stride, int PE_size, long *pSync)) \
  X(void, shmem_set_cache_inv, (void)) \
  X(void, shmem_set_cache_line_inv, (void *dest)) \
  X(void, shmem_clear_cache_inv, (void)) \
  X(void, shmem_clear_cache_line_inv, (void *dest)) \
  X(void, shmem_udcflush, (void)) \
  X(void, shmem_udcflush_line, (void *dest))

/* Deprecated, and names that programs use for variables of their own: shmem-compat.h. */
#define WEIR_SHMEM_COMPAT(X) \
  X(int, my_pe, (void)) \
  X(int, num_pes, (void))

/* clang-format on */

#endif
