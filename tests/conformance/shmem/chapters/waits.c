/* SPDX-License-Identifier: Apache-2.0 */

/* Point-to-point synchronisation: waits and tests for one word and for several, and signals. */
#include "../check.h"

#define P2P_TYPES(X) X(short, short) X(ushort, unsigned short) STANDARD_AMO_TYPES(X)

enum { WORDS = 8 };
#define ARRAYS(N, T) static T N##_words[WORDS];
P2P_TYPES(ARRAYS)

/* Each comparison, first with a value that does not hold, then with what the previous PE puts. */
#define ONE_WORD(N, T)                                                       \
  static void one_word_of_##N(void) {                                        \
    N##_words[0] = 5;                                                        \
    CHECK(!shmem_##N##_test(&N##_words[0], SHMEM_CMP_EQ, 6));                \
    CHECK(shmem_##N##_test(&N##_words[0], SHMEM_CMP_EQ, 5));                 \
    CHECK(!shmem_##N##_test(&N##_words[0], SHMEM_CMP_NE, 5));                \
    CHECK(shmem_test(&N##_words[0], SHMEM_CMP_NE, 4));                       \
    CHECK(!shmem_##N##_test(&N##_words[0], SHMEM_CMP_GT, 5));                \
    CHECK(shmem_##N##_test(&N##_words[0], SHMEM_CMP_GT, 4));                 \
    CHECK(!shmem_##N##_test(&N##_words[0], SHMEM_CMP_GE, 6));                \
    CHECK(shmem_##N##_test(&N##_words[0], SHMEM_CMP_GE, 5));                 \
    CHECK(!shmem_##N##_test(&N##_words[0], SHMEM_CMP_LT, 5));                \
    CHECK(shmem_##N##_test(&N##_words[0], SHMEM_CMP_LT, 6));                 \
    CHECK(!shmem_##N##_test(&N##_words[0], SHMEM_CMP_LE, 4));                \
    CHECK(shmem_##N##_test(&N##_words[0], SHMEM_CMP_LE, 5));                 \
    shmem_barrier_all();                                                     \
    shmem_##N##_p(&N##_words[0], 7, next);                                   \
    shmem_##N##_wait_until(&N##_words[0], SHMEM_CMP_EQ, 7);                  \
    shmem_barrier_all();                                                     \
    shmem_##N##_p(&N##_words[0], 9, next);                                   \
    shmem_wait_until(&N##_words[0], SHMEM_CMP_GT, 7);                        \
    CHECK(N##_words[0] == 9);                                                \
    shmem_barrier_all();                                                     \
    shmem_##N##_p(&N##_words[0], 3, next);                                   \
    shmem_##N##_wait(&N##_words[0], 9);                                      \
    CHECK(N##_words[0] == 3);                                                \
  }
P2P_TYPES(ONE_WORD)

/* Words 1, 3 and 5 get 1 from the previous PE; status leaves word 5 out. */
#define SEVERAL_WORDS(N, T)                                                                                          \
  static void several_words_of_##N(void) {                                                                           \
    const int status[WORDS] = {0, 0, 0, 0, 0, 1, 0, 0};                                                              \
    const T ones[WORDS] = {9, 1, 9, 1, 9, 1, 9, 9};                                                                  \
    size_t indices[WORDS];                                                                                           \
    memset(N##_words, 0, sizeof N##_words);                                                                          \
    shmem_barrier_all();                                                                                             \
    CHECK(shmem_##N##_test_any(N##_words, WORDS, status, SHMEM_CMP_EQ, 1) == SIZE_MAX);                              \
    CHECK(shmem_##N##_test_some(N##_words, WORDS, indices, status, SHMEM_CMP_EQ, 1) == 0);                           \
    CHECK(!shmem_##N##_test_all(N##_words, WORDS, NULL, SHMEM_CMP_EQ, 1));                                           \
    CHECK(shmem_##N##_test_all(N##_words, WORDS, NULL, SHMEM_CMP_EQ, 0));                                            \
    CHECK(shmem_##N##_test_any_vector(N##_words, WORDS, NULL, SHMEM_CMP_EQ, ones) == SIZE_MAX);                      \
    CHECK(shmem_##N##_test_some_vector(N##_words, WORDS, indices, NULL, SHMEM_CMP_EQ, ones) == 0);                   \
    CHECK(!shmem_##N##_test_all_vector(N##_words, WORDS, status, SHMEM_CMP_EQ, ones));                               \
    shmem_barrier_all();                                                                                             \
    for (int i = 1; i < 6; i += 2) shmem_##N##_p(&N##_words[i], 1, next);                                            \
    const size_t any = shmem_##N##_wait_until_any(N##_words, WORDS, status, SHMEM_CMP_EQ, 1);                        \
    CHECK(any == 1 || any == 3);                                                                                     \
    const size_t some = shmem_##N##_wait_until_some(N##_words, WORDS, indices, status, SHMEM_CMP_EQ, 1);             \
    CHECK(some >= 1 && some <= 2 && (indices[0] == 1 || indices[0] == 3));                                           \
    shmem_##N##_wait_until_all(N##_words + 1, 1, NULL, SHMEM_CMP_EQ, 1);                                             \
    shmem_##N##_wait_until_all_vector(N##_words, 2, (const int[]){1, 0}, SHMEM_CMP_EQ, ones);                        \
    const size_t any_vector = shmem_##N##_wait_until_any_vector(N##_words, WORDS, NULL, SHMEM_CMP_EQ, ones);         \
    CHECK(any_vector == 1 || any_vector == 3 || any_vector == 5);                                                    \
    CHECK(shmem_##N##_wait_until_some_vector(N##_words, WORDS, indices, NULL, SHMEM_CMP_EQ, ones) >= 1);             \
    shmem_barrier_all();                                                                                             \
    CHECK(shmem_test_some(N##_words, WORDS, indices, status, SHMEM_CMP_EQ, 1) == 2);                                 \
    CHECK(shmem_test_some_vector(N##_words, WORDS, indices, NULL, SHMEM_CMP_EQ, ones) == 3);                         \
    CHECK(shmem_test_any(N##_words, WORDS, NULL, SHMEM_CMP_EQ, 1) % 2 == 1);                                         \
  }
STANDARD_AMO_TYPES(SEVERAL_WORDS)

static void nothing_to_wait_for_is_no_wait(void) {
  const int all_out[2] = {1, 1};
  size_t indices[2];
  int_words[0] = int_words[1] = 0;
  CHECK(shmem_int_wait_until_any(int_words, 0, NULL, SHMEM_CMP_EQ, 1) == SIZE_MAX);
  CHECK(shmem_int_wait_until_some(int_words, 0, indices, NULL, SHMEM_CMP_EQ, 1) == 0);
  shmem_int_wait_until_all(int_words, 0, NULL, SHMEM_CMP_EQ, 1);
  CHECK(shmem_int_test_all(int_words, 0, NULL, SHMEM_CMP_EQ, 1) == 1);
  CHECK(shmem_int_test_any(int_words, 0, NULL, SHMEM_CMP_EQ, 1) == SIZE_MAX);
  CHECK(shmem_int_test_some(int_words, 0, indices, NULL, SHMEM_CMP_EQ, 1) == 0);
  CHECK(shmem_int_wait_until_any(int_words, 2, all_out, SHMEM_CMP_EQ, 1) == SIZE_MAX);
  CHECK(shmem_int_wait_until_some(int_words, 2, indices, all_out, SHMEM_CMP_EQ, 1) == 0);
  shmem_int_wait_until_all(int_words, 2, all_out, SHMEM_CMP_EQ, 1);
  CHECK(shmem_int_test_all(int_words, 2, all_out, SHMEM_CMP_EQ, 1) == 1);
}

static void every_word_is_found_in_turn(void) {
  int seen[WORDS] = {0};
  memset(long_words, 0, sizeof long_words);
  shmem_barrier_all();
  for (int i = 0; i < WORDS; ++i) shmem_long_p(&long_words[i], i + 1, next);
  for (int i = 0; i < WORDS; ++i) {
    const size_t found = shmem_wait_until_any(long_words, WORDS, seen, SHMEM_CMP_NE, 0);
    CHECK(found < WORDS && !seen[found] && long_words[found] == (long)found + 1);
    seen[found] = 1;
  }
  CHECK(shmem_wait_until_any(long_words, WORDS, seen, SHMEM_CMP_NE, 0) == SIZE_MAX);
}

static void a_wait_of_a_long_has_no_type_in_its_name(void) {
  static long word;
  word = 0;
  shmem_barrier_all();
  shmem_long_p(&word, 1, next);
  (shmem_wait)(&word, 0);
  (shmem_wait_until)(&word, SHMEM_CMP_GE, 1);
  CHECK(word == 1);
}

#define ONE_CASES(N, T) CASE(one_word_of_##N),
#define SEVERAL_CASES(N, T) CASE(several_words_of_##N),
CHAPTER(P2P_TYPES(ONE_CASES) STANDARD_AMO_TYPES(SEVERAL_CASES) CASE(nothing_to_wait_for_is_no_wait),
        CASE(every_word_is_found_in_turn), CASE(a_wait_of_a_long_has_no_type_in_its_name))
