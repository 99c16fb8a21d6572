/* SPDX-License-Identifier: Apache-2.0 */

/* Remote memory access: puts and gets, to the next PE and back. */
#include "../check.h"

enum { ELEMENTS = 64 };

/* Every routine of a type, to a static array: by its name, with a context and without. */
#define ARRAYS(N, T) static T N##_dest[ELEMENTS], N##_source[ELEMENTS];
STANDARD_RMA_TYPES(ARRAYS)

#define IS_RING(N, T, array, count, from)                                             \
  do {                                                                                \
    for (int i = 0; i < (count); ++i) CHECK((array)[i] == (T)((from) % 8 * 10 + i));  \
  } while (0)

#define PUTS_AND_GETS(N, T)                                                                                          \
  static void put_of_##N(void) {                                                                                     \
    T local[ELEMENTS];                                                                                               \
    for (int i = 0; i < ELEMENTS; ++i) N##_source[i] = (T)(me % 8 * 10 + i), N##_dest[i] = 0;                        \
    shmem_barrier_all();                                                                                             \
    shmem_##N##_put(N##_dest, N##_source, 5, next);                                                                  \
    shmem_barrier_all();                                                                                             \
    IS_RING(N, T, N##_dest, 5, previous);                                                                            \
    CHECK(N##_dest[5] == 0);                                                                                         \
    shmem_barrier_all();                                                                                             \
    shmem_ctx_##N##_put(SHMEM_CTX_DEFAULT, N##_dest, N##_source, 7, next);                                           \
    shmem_barrier_all();                                                                                             \
    IS_RING(N, T, N##_dest, 7, previous);                                                                            \
    shmem_barrier_all();                                                                                             \
    shmem_##N##_put_nbi(N##_dest, N##_source, 9, next);                                                              \
    shmem_quiet();                                                                                                   \
    shmem_barrier_all();                                                                                             \
    IS_RING(N, T, N##_dest, 9, previous);                                                                            \
    shmem_ctx_##N##_put_nbi(SHMEM_CTX_DEFAULT, N##_dest, N##_source, 11, next);                                      \
    shmem_barrier_all();                                                                                             \
    IS_RING(N, T, N##_dest, 11, previous);                                                                           \
    shmem_##N##_get(local, N##_source, 8, next);                                                                     \
    IS_RING(N, T, local, 8, next);                                                                                   \
    shmem_ctx_##N##_get(SHMEM_CTX_DEFAULT, local, N##_source, 10, previous);                                         \
    IS_RING(N, T, local, 10, previous);                                                                              \
    shmem_##N##_get_nbi(local, N##_source, 12, next);                                                                \
    shmem_quiet();                                                                                                   \
    IS_RING(N, T, local, 12, next);                                                                                  \
    shmem_ctx_##N##_get_nbi(SHMEM_CTX_DEFAULT, local, N##_source, 13, previous);                                     \
    shmem_ctx_quiet(SHMEM_CTX_DEFAULT);                                                                              \
    IS_RING(N, T, local, 13, previous);                                                                              \
    shmem_barrier_all();                                                                                             \
    shmem_##N##_p(&N##_dest[20], (T)(me % 8 + 3), next);                                                             \
    shmem_ctx_##N##_p(SHMEM_CTX_DEFAULT, &N##_dest[21], (T)(me % 8 + 4), next);                                      \
    shmem_barrier_all();                                                                                             \
    CHECK(N##_dest[20] == (T)(previous % 8 + 3) && N##_dest[21] == (T)(previous % 8 + 4));                           \
    CHECK(shmem_##N##_g(&N##_dest[20], next) == (T)(me % 8 + 3));                                                    \
    CHECK(shmem_ctx_##N##_g(SHMEM_CTX_DEFAULT, &N##_dest[21], next) == (T)(me % 8 + 4));                             \
  }                                                                                                                  \
  static void strided_put_of_##N(void) {                                                                             \
    T local[ELEMENTS];                                                                                               \
    for (int i = 0; i < ELEMENTS; ++i) N##_source[i] = (T)i, N##_dest[i] = (T)100, local[i] = (T)100;                \
    shmem_barrier_all();                                                                                             \
    shmem_##N##_iput(N##_dest, N##_source, 2, 3, 5, next);                                                           \
    shmem_ctx_##N##_iput(SHMEM_CTX_DEFAULT, N##_dest + 32, N##_source, 3, 1, 4, next);                               \
    shmem_barrier_all();                                                                                             \
    for (int i = 0; i < 10; ++i) CHECK(N##_dest[i] == (T)(i % 2 == 0 ? i / 2 * 3 : 100));                            \
    for (int i = 0; i < 12; ++i) CHECK(N##_dest[32 + i] == (T)(i % 3 == 0 ? i / 3 : 100));                           \
    shmem_##N##_iget(local, N##_source, 1, 4, 6, next);                                                              \
    shmem_ctx_##N##_iget(SHMEM_CTX_DEFAULT, local + 16, N##_source, 4, 2, 3, next);                                  \
    for (int i = 0; i < 6; ++i) CHECK(local[i] == (T)(4 * i));                                                       \
    for (int i = 0; i < 12; ++i) CHECK(local[16 + i] == (T)(i % 4 == 0 ? i / 4 * 2 : 100));                          \
    shmem_barrier_all();                                                                                             \
    for (int i = 0; i < ELEMENTS; ++i) N##_dest[i] = (T)100, local[i] = (T)100;                                      \
    shmem_barrier_all();                                                                                             \
    /* blocks of two: from every third to every fifth element */                                                    \
    shmem_##N##_ibput(N##_dest, N##_source, 5, 3, 2, 4, next);                                                       \
    shmem_ctx_##N##_ibput(SHMEM_CTX_DEFAULT, N##_dest + 32, N##_source, 2, 2, 2, 4, next);                           \
    shmem_barrier_all();                                                                                             \
    for (int i = 0; i < 20; ++i) CHECK(N##_dest[i] == (T)(i % 5 < 2 ? i / 5 * 3 + i % 5 : 100));                     \
    for (int i = 0; i < 8; ++i) CHECK(N##_dest[32 + i] == (T)i);                                                     \
    shmem_##N##_ibget(local, N##_source, 3, 4, 2, 3, next);                                                          \
    shmem_ctx_##N##_ibget(SHMEM_CTX_DEFAULT, local + 32, N##_source, 3, 3, 3, 2, next);                              \
    for (int i = 0; i < 9; ++i) CHECK(local[i] == (T)(i % 3 < 2 ? i / 3 * 4 + i % 3 : 100));                         \
    for (int i = 0; i < 6; ++i) CHECK(local[32 + i] == (T)i);                                                        \
  }
STANDARD_RMA_TYPES(PUTS_AND_GETS)

static unsigned char sized_dest[1024], sized_source[1024];

/* Of elements without a type: as many bytes as their number says, and none beside them. */
#define SIZED(BITS)                                                                                                  \
  static void put_of_##BITS##_bits(void) {                                                                           \
    enum { BYTES = BITS / 8 };                                                                                       \
    unsigned char local[1024];                                                                                       \
    for (int i = 0; i < 1024; ++i) sized_source[i] = (unsigned char)(i * 7 + me), sized_dest[i] = 0xee;              \
    shmem_barrier_all();                                                                                             \
    shmem_put##BITS(sized_dest, sized_source, 3, next);                                                              \
    shmem_ctx_put##BITS(SHMEM_CTX_DEFAULT, sized_dest + 128, sized_source, 2, next);                                 \
    shmem_put##BITS##_nbi(sized_dest + 256, sized_source, 4, next);                                                  \
    shmem_ctx_put##BITS##_nbi(SHMEM_CTX_DEFAULT, sized_dest + 384, sized_source, 1, next);                           \
    shmem_iput##BITS(sized_dest + 512, sized_source, 2, 1, 2, next);                                                 \
    shmem_ibput##BITS(sized_dest + 768, sized_source, 3, 2, 2, 2, next);                                             \
    shmem_barrier_all();                                                                                             \
    for (int i = 0; i < 3 * BYTES; ++i) CHECK(sized_dest[i] == (unsigned char)(i * 7 + previous));                   \
    CHECK(sized_dest[3 * BYTES] == 0xee);                                                                            \
    CHECK(sized_dest[128 + 2 * BYTES - 1] == (unsigned char)((2 * BYTES - 1) * 7 + previous));                       \
    CHECK(sized_dest[128 + 2 * BYTES] == 0xee);                                                                      \
    CHECK(sized_dest[256 + 4 * BYTES - 1] == (unsigned char)((4 * BYTES - 1) * 7 + previous));                       \
    CHECK(sized_dest[384 + BYTES - 1] == (unsigned char)((BYTES - 1) * 7 + previous));                               \
    CHECK(sized_dest[384 + BYTES] == 0xee);                                                                          \
    CHECK(sized_dest[512 + BYTES] == 0xee);                                                                          \
    CHECK(sized_dest[512 + 2 * BYTES] == (unsigned char)(BYTES * 7 + previous));                                     \
    CHECK(sized_dest[768 + 2 * BYTES] == 0xee);                                                                      \
    CHECK(sized_dest[768 + 3 * BYTES] == (unsigned char)(2 * BYTES * 7 + previous));                                 \
    memset(local, 0xee, sizeof local);                                                                               \
    shmem_get##BITS(local, sized_source, 3, next);                                                                   \
    shmem_ctx_get##BITS(SHMEM_CTX_DEFAULT, local + 128, sized_source, 2, next);                                      \
    shmem_get##BITS##_nbi(local + 256, sized_source, 4, next);                                                       \
    shmem_ctx_get##BITS##_nbi(SHMEM_CTX_DEFAULT, local + 384, sized_source, 1, next);                                \
    shmem_iget##BITS(local + 512, sized_source, 2, 1, 2, next);                                                      \
    shmem_ibget##BITS(local + 768, sized_source, 3, 2, 2, 2, next);                                                  \
    shmem_quiet();                                                                                                   \
    CHECK(local[3 * BYTES - 1] == (unsigned char)((3 * BYTES - 1) * 7 + next) && local[3 * BYTES] == 0xee);          \
    CHECK(local[128 + 2 * BYTES - 1] == (unsigned char)((2 * BYTES - 1) * 7 + next));                                \
    CHECK(local[256 + 4 * BYTES - 1] == (unsigned char)((4 * BYTES - 1) * 7 + next));                                \
    CHECK(local[384 + BYTES - 1] == (unsigned char)((BYTES - 1) * 7 + next) && local[384 + BYTES] == 0xee);          \
    CHECK(local[512 + BYTES] == 0xee && local[512 + 2 * BYTES] == (unsigned char)(BYTES * 7 + next));                \
    CHECK(local[768 + 2 * BYTES] == 0xee && local[768 + 3 * BYTES] == (unsigned char)(2 * BYTES * 7 + next));        \
  }
SIZED(8) SIZED(16) SIZED(32) SIZED(64) SIZED(128)

static void putmem_counts_bytes(void) {
  char local[16] = {0};
  memset(sized_dest, 0, sizeof sized_dest);
  for (int i = 0; i < 16; ++i) sized_source[i] = (unsigned char)(me + i);
  shmem_barrier_all();
  shmem_putmem(sized_dest + 1, sized_source, 3, next);
  shmem_ctx_putmem_nbi(SHMEM_CTX_DEFAULT, sized_dest + 9, sized_source, 5, next);
  shmem_barrier_all();
  CHECK(sized_dest[0] == 0 && sized_dest[3] == (unsigned char)(previous + 2) && sized_dest[4] == 0);
  CHECK(sized_dest[13] == (unsigned char)(previous + 4) && sized_dest[14] == 0);
  shmem_getmem(local, sized_source + 1, 2, next);
  CHECK(local[1] == (char)(next + 2) && local[2] == 0);
  shmem_ctx_getmem_nbi(SHMEM_CTX_DEFAULT, local + 4, sized_source, 1, next);
  shmem_quiet();
  CHECK(local[4] == (char)next && local[5] == 0);
}

static void nothing_is_moved_by_zero_elements(void) {
  long_dest[0] = 17;
  shmem_barrier_all();
  shmem_long_put(long_dest, long_source, 0, next);
  shmem_putmem(long_dest, NULL, 0, next);
  shmem_long_get(NULL, long_source, 0, next);
  shmem_long_iput(long_dest, long_source, 1, 1, 0, next);
  shmem_long_ibget(long_dest, long_source, 2, 2, 2, 0, next);
  shmem_barrier_all();
  CHECK(long_dest[0] == 17);
}

static void a_pe_puts_to_itself(void) {
  long_source[0] = 99;
  shmem_long_put(long_dest, long_source, 1, me);
  shmem_quiet();
  CHECK(long_dest[0] == 99);
  shmem_long_p(long_dest, 98, me);
  CHECK(shmem_long_g(long_dest, me) == 98);
}

static void a_source_can_be_used_again_after_a_put(void) {
  long value = 1;
  shmem_barrier_all();
  shmem_long_put(&long_dest[1], &value, 1, next);
  value = 2;
  shmem_barrier_all();
  CHECK(long_dest[1] == 1);
}

static void a_large_put_arrives_whole(void) {
  enum { LONGS = 300000 };
  long *there = shmem_malloc(LONGS * sizeof(long)), *here = malloc(LONGS * sizeof(long));
  CHECK(there != NULL && here != NULL);
  for (int i = 0; i < LONGS; ++i) here[i] = (long)i * (me + 1);
  shmem_put(there, here, LONGS, next);
  shmem_barrier_all();
  int wrong = 0;
  for (int i = 0; i < LONGS; ++i) wrong += there[i] != (long)i * (previous + 1);
  CHECK(wrong == 0);
  shmem_get(here, there, LONGS, previous);
  wrong = 0;
  for (int i = 0; i < LONGS; ++i) wrong += here[i] != (long)i * ((previous + n_pes - 1) % n_pes + 1);
  CHECK(wrong == 0);
  shmem_free(there);
  free(here);
}

static void a_fence_orders_puts_to_one_pe(void) {
  static long data[100], flag;
  long values[100];
  for (int round = 1; round <= 50; ++round) {
    for (int i = 0; i < 100; ++i) values[i] = round * 100 + i;
    shmem_long_put(data, values, 100, next);
    shmem_fence();
    shmem_long_p(&flag, round, next);
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, round);
    for (int i = 0; i < 100; ++i) CHECK(data[i] == round * 100 + i);
    shmem_barrier_all();
  }
}

static void quiet_of_some_pes_completes_what_went_to_them(void) {
  long value = 5;
  int pes[2] = {next, me};
  shmem_long_put_nbi(&long_dest[2], &value, 1, next);
  shmem_pe_quiet(pes, 2);
  shmem_ctx_pe_quiet(SHMEM_CTX_DEFAULT, pes, 1);
  shmem_pe_quiet(NULL, 0);
  CHECK(shmem_long_g(&long_dest[2], next) == 5);
}

#define TYPED_CASES(N, T) CASE(put_of_##N), CASE(strided_put_of_##N),
CHAPTER(STANDARD_RMA_TYPES(TYPED_CASES) CASE(put_of_8_bits), CASE(put_of_16_bits), CASE(put_of_32_bits),
        CASE(put_of_64_bits), CASE(put_of_128_bits), CASE(putmem_counts_bytes), CASE(nothing_is_moved_by_zero_elements),
        CASE(a_pe_puts_to_itself), CASE(a_source_can_be_used_again_after_a_put), CASE(a_large_put_arrives_whole),
        CASE(a_fence_orders_puts_to_one_pe), CASE(quiet_of_some_pes_completes_what_went_to_them))
