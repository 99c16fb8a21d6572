/* SPDX-License-Identifier: Apache-2.0 */

/* Puts with a signal, and signals by themselves. */
#include "../check.h"

static uint64_t signal_word;

static void restart(void) {
  shmem_barrier_all();
  signal_word = 0;
  shmem_barrier_all();
}

#define ARRAYS(N, T) static T N##_dest[4];
STANDARD_RMA_TYPES(ARRAYS)

#define PUT_SIGNAL(N, T)                                                                                             \
  static void put_signal_of_##N(void) {                                                                              \
    const T source[4] = {(T)(me % 8), 1, 2, 3};                                                                      \
    memset(N##_dest, 0, sizeof N##_dest);                                                                            \
    restart();                                                                                                       \
    shmem_##N##_put_signal(N##_dest, source, 4, &signal_word, 11, SHMEM_SIGNAL_SET, next);                           \
    CHECK(shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 11) == 11);                                            \
    CHECK(N##_dest[0] == (T)(previous % 8) && N##_dest[3] == 3);                                                     \
    shmem_barrier_all();                                                                                             \
    shmem_ctx_##N##_put_signal(SHMEM_CTX_DEFAULT, N##_dest, source + 1, 2, &signal_word, 4, SHMEM_SIGNAL_ADD, next); \
    CHECK(shmem_signal_wait_until(&signal_word, SHMEM_CMP_GT, 11) == 15);                                            \
    CHECK(N##_dest[0] == 1 && N##_dest[1] == 2);                                                                     \
    shmem_barrier_all();                                                                                             \
    shmem_##N##_put_signal_nbi(N##_dest, source, 1, &signal_word, 1, SHMEM_SIGNAL_ADD, next);                        \
    CHECK(shmem_signal_wait_until(&signal_word, SHMEM_CMP_NE, 15) == 16);                                            \
    CHECK(N##_dest[0] == (T)(previous % 8));                                                                         \
    shmem_barrier_all();                                                                                             \
    shmem_put_signal_nbi(SHMEM_CTX_DEFAULT, N##_dest + 1, source, 1, &signal_word, 2, SHMEM_SIGNAL_SET, next);       \
    CHECK(shmem_signal_wait_until(&signal_word, SHMEM_CMP_LT, 16) == 2);                                             \
    CHECK(N##_dest[1] == (T)(previous % 8));                                                                         \
    shmem_quiet();                                                                                                   \
  }
STANDARD_RMA_TYPES(PUT_SIGNAL)

#define SIZED(BITS)                                                                                                  \
  static void put_signal_of_##BITS##_bits(void) {                                                                    \
    static unsigned char dest[64];                                                                                   \
    unsigned char source[64];                                                                                        \
    memset(dest, 0, sizeof dest);                                                                                    \
    memset(source, me + 1, sizeof source);                                                                           \
    restart();                                                                                                       \
    shmem_put##BITS##_signal(dest, source, 2, &signal_word, 1, SHMEM_SIGNAL_SET, next);                              \
    shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 1);                                                          \
    CHECK(dest[2 * BITS / 8 - 1] == (unsigned char)(previous + 1) && dest[2 * BITS / 8] == 0);                       \
    shmem_barrier_all();                                                                                             \
    shmem_ctx_put##BITS##_signal_nbi(SHMEM_CTX_DEFAULT, dest, source, 3, &signal_word, 1, SHMEM_SIGNAL_ADD, next);   \
    shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 2);                                                          \
    CHECK(dest[3 * BITS / 8 - 1] == (unsigned char)(previous + 1) && dest[3 * BITS / 8] == 0);                       \
    shmem_quiet();                                                                                                   \
  }
SIZED(8) SIZED(16) SIZED(32) SIZED(64) SIZED(128)

static void putmem_signal_counts_bytes(void) {
  static char dest[8];
  const char source[8] = "abcdefg";
  memset(dest, 0, sizeof dest);
  restart();
  shmem_putmem_signal(dest, source, 3, &signal_word, 1, SHMEM_SIGNAL_SET, next);
  shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 1);
  CHECK(strcmp(dest, "abc") == 0);
}

static void a_signal_comes_without_data(void) {
  restart();
  shmem_putmem_signal(NULL, NULL, 0, &signal_word, 3, SHMEM_SIGNAL_SET, next);
  CHECK(shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 3) == 3);
  restart();
  shmem_signal_add(&signal_word, 4, next);
  CHECK(shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, 4) == 4);
  shmem_barrier_all();
  shmem_signal_set(SHMEM_CTX_DEFAULT, &signal_word, 2, next);
  CHECK(shmem_signal_wait_until(&signal_word, SHMEM_CMP_LE, 2) == 2);
  shmem_barrier_all();
  shmem_ctx_signal_add(SHMEM_CTX_DEFAULT, &signal_word, UINT64_MAX, next);
  CHECK(shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 1) == 1);
  CHECK(shmem_signal_fetch(&signal_word) == 1);
}

static void signals_of_all_pes_add_up(void) {
  restart();
  for (int pe = 0; pe < n_pes; ++pe) {
    for (int i = 0; i < 10; ++i) shmem_signal_add(&signal_word, 1, pe);
  }
  shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 10 * (uint64_t)n_pes);
  shmem_barrier_all();
  CHECK(signal_word == 10 * (uint64_t)n_pes);
}

#define TYPED_CASES(N, T) CASE(put_signal_of_##N),
CHAPTER(STANDARD_RMA_TYPES(TYPED_CASES) CASE(put_signal_of_8_bits), CASE(put_signal_of_16_bits),
        CASE(put_signal_of_32_bits), CASE(put_signal_of_64_bits), CASE(put_signal_of_128_bits),
        CASE(putmem_signal_counts_bytes), CASE(a_signal_comes_without_data), CASE(signals_of_all_pes_add_up))
