/* SPDX-License-Identifier: Apache-2.0 */

/* Atomic memory operations, of every type, by name, with a context and generic. */
#include "../check.h"

#define WORDS(N, T) static T N##_word;
EXTENDED_AMO_TYPES(WORDS)
#define SUM_WORDS(N, T) static T N##_sum;
STANDARD_AMO_TYPES(SUM_WORDS)

#define SWAPS(N, T)                                                                  \
  static void fetch_set_and_swap_of_##N(void) {                                      \
    T old = 0;                                                                       \
    N##_word = (T)(me % 8 + 1);                                                      \
    shmem_barrier_all();                                                             \
    CHECK(shmem_##N##_atomic_fetch(&N##_word, next) == (T)(next % 8 + 1));           \
    CHECK(shmem_atomic_fetch(SHMEM_CTX_DEFAULT, &N##_word, next) == (T)(next % 8 + 1)); \
    shmem_##N##_atomic_fetch_nbi(&old, &N##_word, next);                             \
    shmem_quiet();                                                                   \
    CHECK(old == (T)(next % 8 + 1));                                                 \
    shmem_barrier_all();                                                             \
    CHECK(shmem_##N##_atomic_swap(&N##_word, (T)20, next) == (T)(next % 8 + 1));     \
    CHECK(shmem_ctx_##N##_atomic_swap(SHMEM_CTX_DEFAULT, &N##_word, (T)21, next) == (T)20); \
    shmem_ctx_##N##_atomic_swap_nbi(SHMEM_CTX_DEFAULT, &old, &N##_word, (T)22, next); \
    shmem_quiet();                                                                   \
    CHECK(old == (T)21);                                                             \
    shmem_barrier_all();                                                             \
    CHECK(N##_word == (T)22);                                                        \
    shmem_barrier_all();                                                             \
    shmem_##N##_atomic_set(&N##_word, (T)30, next);                                  \
    shmem_barrier_all();                                                             \
    CHECK(N##_word == (T)30);                                                        \
  }
EXTENDED_AMO_TYPES(SWAPS)

/* All PEs on the word of PE 0: nothing is lost, and each old value is seen once. */
#define SUMS(N, T)                                                                   \
  static void sums_of_##N(void) {                                                    \
    T old = 0, ignored = 0;                                                          \
    N##_word = 0;                                                                    \
    N##_sum = 0;                                                                     \
    shmem_barrier_all();                                                             \
    for (int i = 0; i < 20; ++i) {                                                   \
      shmem_##N##_atomic_add(&N##_word, (T)2, 0);                                    \
      shmem_ctx_##N##_atomic_inc(SHMEM_CTX_DEFAULT, &N##_word, 0);                   \
      const T seen = shmem_##N##_atomic_fetch_inc(&N##_sum, 0);                      \
      CHECK(i == 0 || seen > old);                                                   \
      old = seen;                                                                    \
      shmem_##N##_atomic_fetch_add_nbi(&ignored, &N##_sum, (T)3, 0);                 \
      shmem_##N##_atomic_fetch_inc_nbi(&ignored, &N##_sum, 0);                       \
      shmem_quiet();                                                                 \
      CHECK(ignored >= old + 3);                                                     \
      CHECK(shmem_atomic_fetch_add(&N##_sum, (T)0, 0) >= ignored);                   \
    }                                                                                \
    shmem_barrier_all();                                                             \
    if (me == 0) CHECK(N##_word == (T)(60 * n_pes) && N##_sum == (T)(100 * n_pes));  \
    shmem_barrier_all();                                                             \
    N##_word = 0;                                                                    \
    shmem_barrier_all();                                                             \
    const T before = shmem_##N##_atomic_compare_swap(&N##_word, 0, (T)(me + 1), 0);  \
    shmem_barrier_all();                                                             \
    const T winner = shmem_##N##_g(&N##_word, 0);                                    \
    CHECK(winner >= 1 && winner <= (T)n_pes && (before == 0) == (winner == (T)(me + 1))); \
    shmem_barrier_all();                                                             \
    shmem_atomic_compare_swap_nbi(SHMEM_CTX_DEFAULT, &old, &N##_word, winner, winner, 0); \
    shmem_quiet();                                                                   \
    CHECK(old == winner);                                                            \
    CHECK(shmem_##N##_atomic_compare_swap(&N##_word, (T)(winner + 1), (T)99, 0) == winner); \
  }
STANDARD_AMO_TYPES(SUMS)

#define BITS(N, T)                                                                   \
  static void bits_of_##N(void) {                                                    \
    T old = 0;                                                                       \
    const T bit = (T)((T)1 << (me % 30));                                            \
    N##_word = 0;                                                                    \
    N##_sum = (T)~(T)0;                                                              \
    shmem_barrier_all();                                                             \
    shmem_##N##_atomic_or(&N##_word, bit, 0);                                        \
    shmem_##N##_atomic_and(&N##_sum, (T)~bit, 0);                                    \
    shmem_barrier_all();                                                             \
    const T all = (T)(((T)1 << n_pes) - 1);                                          \
    CHECK(shmem_##N##_g(&N##_word, 0) == all && shmem_##N##_g(&N##_sum, 0) == (T)~all); \
    shmem_barrier_all();                                                             \
    CHECK((shmem_##N##_atomic_fetch_xor(&N##_word, bit, 0) & bit) == bit);           \
    CHECK((shmem_ctx_##N##_atomic_fetch_or(SHMEM_CTX_DEFAULT, &N##_word, bit, 0) & bit) == 0); \
    CHECK((shmem_atomic_fetch_and(&N##_word, (T)~bit, 0) & bit) == bit);             \
    shmem_##N##_atomic_fetch_or_nbi(&old, &N##_word, bit, 0);                        \
    shmem_quiet();                                                                   \
    CHECK((old & bit) == 0);                                                         \
    shmem_##N##_atomic_fetch_and_nbi(&old, &N##_word, (T)~bit, 0);                   \
    shmem_quiet();                                                                   \
    CHECK((old & bit) == bit);                                                       \
    shmem_##N##_atomic_fetch_xor_nbi(&old, &N##_word, bit, 0);                       \
    shmem_quiet();                                                                   \
    CHECK((old & bit) == 0);                                                         \
    shmem_##N##_atomic_xor(&N##_word, bit, 0);                                       \
    shmem_barrier_all();                                                             \
    CHECK(shmem_##N##_g(&N##_word, 0) == 0);                                         \
  }
BITWISE_AMO_TYPES(BITS)

static void an_atomic_and_a_wait_work_together(void) {
  static long word;
  word = 0;
  shmem_barrier_all();
  shmem_long_atomic_set(&word, me + 1, next);
  shmem_long_wait_until(&word, SHMEM_CMP_EQ, previous + 1);
}

#define SWAP_CASES(N, T) CASE(fetch_set_and_swap_of_##N),
#define SUM_CASES(N, T) CASE(sums_of_##N),
#define BIT_CASES(N, T) CASE(bits_of_##N),
CHAPTER(EXTENDED_AMO_TYPES(SWAP_CASES) STANDARD_AMO_TYPES(SUM_CASES) BITWISE_AMO_TYPES(BIT_CASES)
            CASE(an_atomic_and_a_wait_work_together))
