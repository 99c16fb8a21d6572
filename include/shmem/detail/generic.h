/* SPDX-License-Identifier: Apache-2.0 */

/* C11: shmem_put() and its like are macros that select the function by the type of their first argument, or, when that
 * is a context, by the second. A pointer to what has no such routine is an error of the compiler's. */
#ifndef WEIR_SHMEM_GENERIC_H
#define WEIR_SHMEM_GENERIC_H

#define WEIR_SHMEM_FIRST(A, ...) A
#define WEIR_SHMEM_SECOND(A, B, ...) B

/* What is selected where nothing fits: no function, so that the call is an error that says this name. */
extern const int weir_shmem_no_routine_for_this_type;
struct weir_shmem_nothing;
#define WEIR_SHMEM_NOTHING struct weir_shmem_nothing * : weir_shmem_no_routine_for_this_type

/* Associations of one type, to be put after others. OP has its underscore, so that no macro of the program's is meant. */
#define WEIR_SHMEM_CASE(OP, N, T) , T * : shmem_##N##OP
#define WEIR_SHMEM_CASE_CONST(OP, N, T) , T * : shmem_##N##OP, const T * : shmem_##N##OP
#define WEIR_SHMEM_CASE_VOLATILE(OP, N, T) , T * : shmem_##N##OP, volatile T * : shmem_##N##OP
#define WEIR_SHMEM_CTX_CASE(OP, N, T) , T * : shmem_ctx_##N##OP
#define WEIR_SHMEM_CTX_CASE_CONST(OP, N, T) , T * : shmem_ctx_##N##OP, const T * : shmem_ctx_##N##OP

#define WEIR_SHMEM_BY_SECOND(TYPES, CASE, OP, ...) \
  _Generic((WEIR_SHMEM_SECOND(__VA_ARGS__, 0, 0)), default : weir_shmem_no_routine_for_this_type TYPES(CASE, OP))

/* A context or the pointer comes first. */
#define WEIR_SHMEM_PICK(TYPES, OP, ...)                                                                              \
  _Generic((WEIR_SHMEM_FIRST(__VA_ARGS__, 0)),                                                                       \
           shmem_ctx_t : WEIR_SHMEM_BY_SECOND(TYPES, WEIR_SHMEM_CTX_CASE, OP, __VA_ARGS__)                           \
               TYPES(WEIR_SHMEM_CASE, OP))(__VA_ARGS__)
#define WEIR_SHMEM_PICK_CONST(TYPES, OP, ...)                                                                        \
  _Generic((WEIR_SHMEM_FIRST(__VA_ARGS__, 0)),                                                                       \
           shmem_ctx_t : WEIR_SHMEM_BY_SECOND(TYPES, WEIR_SHMEM_CTX_CASE_CONST, OP, __VA_ARGS__)                     \
               TYPES(WEIR_SHMEM_CASE_CONST, OP))(__VA_ARGS__)
/* The pointer comes first. */
#define WEIR_SHMEM_PICK_PLAIN(TYPES, CASE, OP, ...) \
  _Generic((WEIR_SHMEM_FIRST(__VA_ARGS__, 0)), WEIR_SHMEM_NOTHING TYPES(CASE, OP))(__VA_ARGS__)
/* A team comes first, the pointer second. */
#define WEIR_SHMEM_PICK_TEAM(TYPES, OP, ...) WEIR_SHMEM_BY_SECOND(TYPES, WEIR_SHMEM_CASE, OP, __VA_ARGS__)(__VA_ARGS__)

#define shmem_put(...) WEIR_SHMEM_PICK(WEIR_SHMEM_RMA_C, _put, __VA_ARGS__)
#define shmem_get(...) WEIR_SHMEM_PICK(WEIR_SHMEM_RMA_C, _get, __VA_ARGS__)
#define shmem_put_nbi(...) WEIR_SHMEM_PICK(WEIR_SHMEM_RMA_C, _put_nbi, __VA_ARGS__)
#define shmem_get_nbi(...) WEIR_SHMEM_PICK(WEIR_SHMEM_RMA_C, _get_nbi, __VA_ARGS__)
#define shmem_p(...) WEIR_SHMEM_PICK(WEIR_SHMEM_RMA_C, _p, __VA_ARGS__)
#define shmem_g(...) WEIR_SHMEM_PICK_CONST(WEIR_SHMEM_RMA_C, _g, __VA_ARGS__)
#define shmem_iput(...) WEIR_SHMEM_PICK(WEIR_SHMEM_RMA_C, _iput, __VA_ARGS__)
#define shmem_iget(...) WEIR_SHMEM_PICK(WEIR_SHMEM_RMA_C, _iget, __VA_ARGS__)
#define shmem_ibput(...) WEIR_SHMEM_PICK(WEIR_SHMEM_RMA_C, _ibput, __VA_ARGS__)
#define shmem_ibget(...) WEIR_SHMEM_PICK(WEIR_SHMEM_RMA_C, _ibget, __VA_ARGS__)
#define shmem_put_signal(...) WEIR_SHMEM_PICK(WEIR_SHMEM_RMA_C, _put_signal, __VA_ARGS__)
#define shmem_put_signal_nbi(...) WEIR_SHMEM_PICK(WEIR_SHMEM_RMA_C, _put_signal_nbi, __VA_ARGS__)

#define shmem_atomic_fetch(...) WEIR_SHMEM_PICK_CONST(WEIR_SHMEM_EXT_C, _atomic_fetch, __VA_ARGS__)
#define shmem_atomic_set(...) WEIR_SHMEM_PICK(WEIR_SHMEM_EXT_C, _atomic_set, __VA_ARGS__)
#define shmem_atomic_swap(...) WEIR_SHMEM_PICK(WEIR_SHMEM_EXT_C, _atomic_swap, __VA_ARGS__)
#define shmem_atomic_fetch_nbi(...) WEIR_SHMEM_PICK(WEIR_SHMEM_EXT_C, _atomic_fetch_nbi, __VA_ARGS__)
#define shmem_atomic_swap_nbi(...) WEIR_SHMEM_PICK(WEIR_SHMEM_EXT_C, _atomic_swap_nbi, __VA_ARGS__)
#define shmem_atomic_compare_swap(...) WEIR_SHMEM_PICK(WEIR_SHMEM_AMO_C, _atomic_compare_swap, __VA_ARGS__)
#define shmem_atomic_fetch_inc(...) WEIR_SHMEM_PICK(WEIR_SHMEM_AMO_C, _atomic_fetch_inc, __VA_ARGS__)
#define shmem_atomic_inc(...) WEIR_SHMEM_PICK(WEIR_SHMEM_AMO_C, _atomic_inc, __VA_ARGS__)
#define shmem_atomic_fetch_add(...) WEIR_SHMEM_PICK(WEIR_SHMEM_AMO_C, _atomic_fetch_add, __VA_ARGS__)
#define shmem_atomic_add(...) WEIR_SHMEM_PICK(WEIR_SHMEM_AMO_C, _atomic_add, __VA_ARGS__)
#define shmem_atomic_compare_swap_nbi(...) WEIR_SHMEM_PICK(WEIR_SHMEM_AMO_C, _atomic_compare_swap_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_inc_nbi(...) WEIR_SHMEM_PICK(WEIR_SHMEM_AMO_C, _atomic_fetch_inc_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_add_nbi(...) WEIR_SHMEM_PICK(WEIR_SHMEM_AMO_C, _atomic_fetch_add_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_and(...) WEIR_SHMEM_PICK(WEIR_SHMEM_BIT_C, _atomic_fetch_and, __VA_ARGS__)
#define shmem_atomic_and(...) WEIR_SHMEM_PICK(WEIR_SHMEM_BIT_C, _atomic_and, __VA_ARGS__)
#define shmem_atomic_fetch_or(...) WEIR_SHMEM_PICK(WEIR_SHMEM_BIT_C, _atomic_fetch_or, __VA_ARGS__)
#define shmem_atomic_or(...) WEIR_SHMEM_PICK(WEIR_SHMEM_BIT_C, _atomic_or, __VA_ARGS__)
#define shmem_atomic_fetch_xor(...) WEIR_SHMEM_PICK(WEIR_SHMEM_BIT_C, _atomic_fetch_xor, __VA_ARGS__)
#define shmem_atomic_xor(...) WEIR_SHMEM_PICK(WEIR_SHMEM_BIT_C, _atomic_xor, __VA_ARGS__)
#define shmem_atomic_fetch_and_nbi(...) WEIR_SHMEM_PICK(WEIR_SHMEM_BIT_C, _atomic_fetch_and_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_or_nbi(...) WEIR_SHMEM_PICK(WEIR_SHMEM_BIT_C, _atomic_fetch_or_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_xor_nbi(...) WEIR_SHMEM_PICK(WEIR_SHMEM_BIT_C, _atomic_fetch_xor_nbi, __VA_ARGS__)

#define WEIR_SHMEM_PICK_WAIT(TYPES, OP, ...) WEIR_SHMEM_PICK_PLAIN(TYPES, WEIR_SHMEM_CASE_VOLATILE, OP, __VA_ARGS__)
#define shmem_wait_until(...) WEIR_SHMEM_PICK_WAIT(WEIR_SHMEM_P2P_C, _wait_until, __VA_ARGS__)
#define shmem_test(...) WEIR_SHMEM_PICK_WAIT(WEIR_SHMEM_P2P_C, _test, __VA_ARGS__)
#define shmem_wait_until_all(...) WEIR_SHMEM_PICK_WAIT(WEIR_SHMEM_AMO_C, _wait_until_all, __VA_ARGS__)
#define shmem_wait_until_any(...) WEIR_SHMEM_PICK_WAIT(WEIR_SHMEM_AMO_C, _wait_until_any, __VA_ARGS__)
#define shmem_wait_until_some(...) WEIR_SHMEM_PICK_WAIT(WEIR_SHMEM_AMO_C, _wait_until_some, __VA_ARGS__)
#define shmem_test_all(...) WEIR_SHMEM_PICK_WAIT(WEIR_SHMEM_AMO_C, _test_all, __VA_ARGS__)
#define shmem_test_any(...) WEIR_SHMEM_PICK_WAIT(WEIR_SHMEM_AMO_C, _test_any, __VA_ARGS__)
#define shmem_test_some(...) WEIR_SHMEM_PICK_WAIT(WEIR_SHMEM_AMO_C, _test_some, __VA_ARGS__)
#define shmem_wait_until_all_vector(...) WEIR_SHMEM_PICK_WAIT(WEIR_SHMEM_AMO_C, _wait_until_all_vector, __VA_ARGS__)
#define shmem_wait_until_any_vector(...) WEIR_SHMEM_PICK_WAIT(WEIR_SHMEM_AMO_C, _wait_until_any_vector, __VA_ARGS__)
#define shmem_wait_until_some_vector(...) WEIR_SHMEM_PICK_WAIT(WEIR_SHMEM_AMO_C, _wait_until_some_vector, __VA_ARGS__)
#define shmem_test_all_vector(...) WEIR_SHMEM_PICK_WAIT(WEIR_SHMEM_AMO_C, _test_all_vector, __VA_ARGS__)
#define shmem_test_any_vector(...) WEIR_SHMEM_PICK_WAIT(WEIR_SHMEM_AMO_C, _test_any_vector, __VA_ARGS__)
#define shmem_test_some_vector(...) WEIR_SHMEM_PICK_WAIT(WEIR_SHMEM_AMO_C, _test_some_vector, __VA_ARGS__)

#define shmem_broadcast(...) WEIR_SHMEM_PICK_TEAM(WEIR_SHMEM_RMA_C, _broadcast, __VA_ARGS__)
#define shmem_collect(...) WEIR_SHMEM_PICK_TEAM(WEIR_SHMEM_RMA_C, _collect, __VA_ARGS__)
#define shmem_fcollect(...) WEIR_SHMEM_PICK_TEAM(WEIR_SHMEM_RMA_C, _fcollect, __VA_ARGS__)
#define shmem_alltoall(...) WEIR_SHMEM_PICK_TEAM(WEIR_SHMEM_RMA_C, _alltoall, __VA_ARGS__)
#define shmem_alltoalls(...) WEIR_SHMEM_PICK_TEAM(WEIR_SHMEM_RMA_C, _alltoalls, __VA_ARGS__)
#define shmem_and_reduce(...) WEIR_SHMEM_PICK_TEAM(WEIR_SHMEM_REDUCE_BITS_C, _and_reduce, __VA_ARGS__)
#define shmem_or_reduce(...) WEIR_SHMEM_PICK_TEAM(WEIR_SHMEM_REDUCE_BITS_C, _or_reduce, __VA_ARGS__)
#define shmem_xor_reduce(...) WEIR_SHMEM_PICK_TEAM(WEIR_SHMEM_REDUCE_BITS_C, _xor_reduce, __VA_ARGS__)
#define shmem_max_reduce(...) WEIR_SHMEM_PICK_TEAM(WEIR_SHMEM_RMA_C, _max_reduce, __VA_ARGS__)
#define shmem_min_reduce(...) WEIR_SHMEM_PICK_TEAM(WEIR_SHMEM_RMA_C, _min_reduce, __VA_ARGS__)
#define shmem_sum_reduce(...) WEIR_SHMEM_PICK_TEAM(WEIR_SHMEM_REDUCE_SUM_C, _sum_reduce, __VA_ARGS__)
#define shmem_prod_reduce(...) WEIR_SHMEM_PICK_TEAM(WEIR_SHMEM_REDUCE_SUM_C, _prod_reduce, __VA_ARGS__)
#define shmem_sum_inscan(...) WEIR_SHMEM_PICK_TEAM(WEIR_SHMEM_REDUCE_SUM_C, _sum_inscan, __VA_ARGS__)
#define shmem_sum_exscan(...) WEIR_SHMEM_PICK_TEAM(WEIR_SHMEM_REDUCE_SUM_C, _sum_exscan, __VA_ARGS__)

/* A team, or the first PE of an active set; a context, or the address of the signal. */
#define shmem_sync(...) \
  _Generic((WEIR_SHMEM_FIRST(__VA_ARGS__, 0)), shmem_team_t : shmem_team_sync, default : shmem_sync)(__VA_ARGS__)
#define shmem_signal_add(...)                                                                                        \
  _Generic((WEIR_SHMEM_FIRST(__VA_ARGS__, 0)), shmem_ctx_t : shmem_ctx_signal_add, default : shmem_signal_add)(      \
      __VA_ARGS__)
#define shmem_signal_set(...)                                                                                        \
  _Generic((WEIR_SHMEM_FIRST(__VA_ARGS__, 0)), shmem_ctx_t : shmem_ctx_signal_set, default : shmem_signal_set)(      \
      __VA_ARGS__)

/* Deprecated. */
#define shmem_fetch(...) WEIR_SHMEM_PICK_PLAIN(WEIR_SHMEM_OLD_EXT, WEIR_SHMEM_CASE_CONST, _fetch, __VA_ARGS__)
#define shmem_set(...) WEIR_SHMEM_PICK_PLAIN(WEIR_SHMEM_OLD_EXT, WEIR_SHMEM_CASE, _set, __VA_ARGS__)
#define shmem_swap(...) WEIR_SHMEM_PICK_PLAIN(WEIR_SHMEM_OLD_EXT, WEIR_SHMEM_CASE, _swap, __VA_ARGS__)
#define shmem_cswap(...) WEIR_SHMEM_PICK_PLAIN(WEIR_SHMEM_OLD_AMO, WEIR_SHMEM_CASE, _cswap, __VA_ARGS__)
#define shmem_finc(...) WEIR_SHMEM_PICK_PLAIN(WEIR_SHMEM_OLD_AMO, WEIR_SHMEM_CASE, _finc, __VA_ARGS__)
#define shmem_inc(...) WEIR_SHMEM_PICK_PLAIN(WEIR_SHMEM_OLD_AMO, WEIR_SHMEM_CASE, _inc, __VA_ARGS__)
#define shmem_fadd(...) WEIR_SHMEM_PICK_PLAIN(WEIR_SHMEM_OLD_AMO, WEIR_SHMEM_CASE, _fadd, __VA_ARGS__)
#define shmem_add(...) WEIR_SHMEM_PICK_PLAIN(WEIR_SHMEM_OLD_AMO, WEIR_SHMEM_CASE, _add, __VA_ARGS__)

#endif
