/* SPDX-License-Identifier: Apache-2.0 */

/* Programs of OpenSHMEM 1.0 to 1.3: start_pes, active sets with pSync and pWrk, atomics and waits under their old names.
 * In C99, as such programs are. */
#include <mpp/shmem.h>

#include "../check.h"

enum { MOST_PES = 16, PART = 4 };

static long sync_a[_SHMEM_BCAST_SYNC_SIZE], sync_b[_SHMEM_COLLECT_SYNC_SIZE], sync_c[_SHMEM_REDUCE_SYNC_SIZE];
static long sync_d[_SHMEM_BARRIER_SYNC_SIZE];

static void sync_arrays_are_set(void) {
  int i;
  for (i = 0; i < _SHMEM_BCAST_SYNC_SIZE; ++i) sync_a[i] = _SHMEM_SYNC_VALUE;
  for (i = 0; i < _SHMEM_COLLECT_SYNC_SIZE; ++i) sync_b[i] = _SHMEM_SYNC_VALUE;
  for (i = 0; i < _SHMEM_REDUCE_SYNC_SIZE; ++i) sync_c[i] = _SHMEM_SYNC_VALUE;
  for (i = 0; i < _SHMEM_BARRIER_SYNC_SIZE; ++i) sync_d[i] = _SHMEM_SYNC_VALUE;
}

static void names_of_1_0_are_there(void) {
  long *block = shmalloc(64);
  CHECK(_my_pe() == me && _num_pes() == n_pes);
  CHECK(block != NULL);
  block = shrealloc(block, 128);
  block[0] = me;
  shmem_barrier_all();
  CHECK(shmem_long_g(block, next) == next);
  shmem_barrier_all();
  shfree(block);
  start_pes(0); /* once more is nothing */
  shmem_set_cache_inv();
  shmem_set_cache_line_inv(sync_a);
  shmem_clear_cache_inv();
  shmem_clear_cache_line_inv(sync_a);
  shmem_udcflush();
  shmem_udcflush_line(sync_a);
}

/* The active sets of a run: all, every other, the second half. */
struct set {
  int start, log_stride, size;
};
static int sets_of(struct set *sets) {
  sets[0].start = 0, sets[0].log_stride = 0, sets[0].size = n_pes;
  sets[1].start = 0, sets[1].log_stride = 1, sets[1].size = (n_pes + 1) / 2;
  sets[2].start = n_pes / 2, sets[2].log_stride = 0, sets[2].size = n_pes - n_pes / 2;
  return 3;
}
static int number_in(const struct set *s) {
  const int stride = 1 << s->log_stride, at = me - s->start;
  return at >= 0 && at % stride == 0 && at / stride < s->size ? at / stride : -1;
}
static int pe_of(const struct set *s, int number) { return s->start + (number << s->log_stride); }

/* On the root of an active set, the destination keeps what it has. */
#define BROADCAST(BITS)                                                                                          \
  static void broadcast_of_##BITS##_bits_leaves_the_root_alone(void) {                                           \
    static int##BITS##_t dest[PART + 1], source[PART];                                                           \
    struct set sets[3];                                                                                          \
    int s, i;                                                                                                    \
    const int n = sets_of(sets);                                                                                 \
    for (s = 0; s < n; ++s) {                                                                                    \
      const int number = number_in(&sets[s]), root = sets[s].size - 1;                                           \
      for (i = 0; i < PART; ++i) source[i] = me * 10 + i, dest[i] = -1;                                          \
      dest[PART] = -1;                                                                                           \
      shmem_barrier_all();                                                                                       \
      if (number >= 0) {                                                                                         \
        shmem_broadcast##BITS(dest, source, PART, root, sets[s].start, sets[s].log_stride, sets[s].size, sync_a); \
        for (i = 0; i < PART; ++i) CHECK(dest[i] == (number == root ? -1 : pe_of(&sets[s], root) * 10 + i));     \
      } else {                                                                                                   \
        CHECK(dest[0] == -1);                                                                                    \
      }                                                                                                          \
      CHECK(dest[PART] == -1);                                                                                   \
      shmem_barrier_all();                                                                                       \
    }                                                                                                            \
  }
BROADCAST(32)
BROADCAST(64)

#define COLLECT(BITS)                                                                                               \
  static void collect_of_##BITS##_bits_takes_different_lengths(void) {                                              \
    static int##BITS##_t dest[MOST_PES * PART], source[MOST_PES * PART];                                            \
    struct set sets[3];                                                                                             \
    int s, i, pe, at;                                                                                               \
    const int n = sets_of(sets);                                                                                    \
    for (s = 0; s < n; ++s) {                                                                                       \
      const int number = number_in(&sets[s]), start = sets[s].start, stride = sets[s].log_stride;                   \
      const int size = sets[s].size;                                                                                \
      for (i = 0; i < MOST_PES * PART; ++i) source[i] = me * 100 + i, dest[i] = -1;                                 \
      shmem_barrier_all();                                                                                          \
      if (number >= 0) {                                                                                            \
        shmem_collect##BITS(dest, source, (size_t)(number % PART), start, stride, size, sync_b);                    \
        for (pe = 0, at = 0; pe < size; at += pe++ % PART) {                                                        \
          for (i = 0; i < pe % PART; ++i) CHECK(dest[at + i] == pe_of(&sets[s], pe) * 100 + i);                     \
        }                                                                                                           \
        CHECK(dest[at] == -1);                                                                                      \
        shmem_barrier(start, stride, size, sync_d);                                                                 \
        shmem_fcollect##BITS(dest, source, 2, start, stride, size, sync_b);                                         \
        for (pe = 0; pe < size; ++pe) CHECK(dest[2 * pe + 1] == pe_of(&sets[s], pe) * 100 + 1);                     \
        shmem_barrier(start, stride, size, sync_d);                                                                 \
        shmem_alltoall##BITS(dest, source, 2, start, stride, size, sync_b);                                         \
        for (pe = 0; pe < size; ++pe) CHECK(dest[2 * pe + 1] == pe_of(&sets[s], pe) * 100 + 2 * number + 1);        \
        shmem_barrier(start, stride, size, sync_d);                                                                 \
        shmem_alltoalls##BITS(dest, source, 1, 2, 1, start, stride, size, sync_b);                                  \
        for (pe = 0; pe < size; ++pe) CHECK(dest[pe] == pe_of(&sets[s], pe) * 100 + 2 * number);                    \
      }                                                                                                             \
      shmem_barrier_all();                                                                                          \
    }                                                                                                               \
  }
COLLECT(32)
COLLECT(64)

#define WORK_SIZE (PART / 2 + 1 > _SHMEM_REDUCE_MIN_WRKDATA_SIZE ? PART / 2 + 1 : _SHMEM_REDUCE_MIN_WRKDATA_SIZE)
#define CHECK_TO_ALL(N, T, op, expression, first)                                                                   \
  do {                                                                                                              \
    struct set sets[3];                                                                                             \
    int s, i, pe;                                                                                                   \
    const int n = sets_of(sets);                                                                                    \
    for (s = 0; s < n; ++s) {                                                                                       \
      const int number = number_in(&sets[s]);                                                                       \
      for (i = 0; i < PART; ++i) source[i] = (T)(me % 3 + i % 2 + 1), dest[i] = (T)99;                              \
      shmem_barrier_all();                                                                                          \
      if (number >= 0) {                                                                                            \
        shmem_##N##_##op##_to_all(dest, source, PART, sets[s].start, sets[s].log_stride, sets[s].size, work, sync_c); \
        for (i = 0; i < PART; ++i) {                                                                                \
          T a = first;                                                                                              \
          for (pe = 0; pe < sets[s].size; ++pe) {                                                                   \
            const T b = (T)(pe_of(&sets[s], pe) % 3 + i % 2 + 1);                                                   \
            a = (T)(expression);                                                                                    \
          }                                                                                                         \
          CHECK(dest[i] == a);                                                                                      \
        }                                                                                                           \
      } else {                                                                                                      \
        CHECK(dest[0] == (T)99);                                                                                    \
      }                                                                                                             \
      shmem_barrier_all();                                                                                          \
    }                                                                                                               \
  } while (0)

#define SUMS(N, T)                                  \
  static void sums_of_##N(void) {                   \
    static T dest[PART], source[PART], work[WORK_SIZE]; \
    CHECK_TO_ALL(N, T, sum, a + b, 0);              \
    CHECK_TO_ALL(N, T, prod, a * b, 1);             \
  }
#define EXTREMES(N, T)                              \
  static void extremes_of_##N(void) {               \
    static T dest[PART], source[PART], work[WORK_SIZE]; \
    CHECK_TO_ALL(N, T, min, a < b ? a : b, 100);    \
    CHECK_TO_ALL(N, T, max, a > b ? a : b, 0);      \
  }
#define BITS(N, T)                                  \
  static void bits_of_##N(void) {                   \
    static T dest[PART], source[PART], work[WORK_SIZE]; \
    CHECK_TO_ALL(N, T, and, a & b, ~(T)0);          \
    CHECK_TO_ALL(N, T, or, a | b, 0);               \
    CHECK_TO_ALL(N, T, xor, a ^ b, 0);              \
  }
#define INTEGERS(X) X(short, short) X(int, int) X(long, long) X(longlong, long long)
#define REALS(X) X(float, float) X(double, double) X(longdouble, long double)
INTEGERS(BITS)
INTEGERS(EXTREMES)
REALS(EXTREMES)
INTEGERS(SUMS)
REALS(SUMS)
SUMS(complexd, double _Complex)
SUMS(complexf, float _Complex)

static void barriers_of_a_set_complete_its_puts(void) {
  static long words[MOST_PES];
  struct set sets[3];
  int s, round, pe;
  const int n = sets_of(sets);
  for (s = 0; s < n; ++s) {
    if (number_in(&sets[s]) < 0) continue;
    for (round = 1; round <= 20; ++round) {
      for (pe = 0; pe < sets[s].size; ++pe) shmem_long_p(&words[me], round, pe_of(&sets[s], pe));
      shmem_barrier(sets[s].start, sets[s].log_stride, sets[s].size, sync_d);
      for (pe = 0; pe < sets[s].size; ++pe) CHECK(words[pe_of(&sets[s], pe)] == round);
      (shmem_sync)(sets[s].start, sets[s].log_stride, sets[s].size, sync_d);
    }
  }
}

#define ATOMICS(N, T)                                          \
  static void old_atomics_of_##N(void) {                       \
    static T word;                                             \
    word = 0;                                                  \
    shmem_barrier_all();                                       \
    shmem_##N##_add(&word, 3, 0);                              \
    shmem_##N##_inc(&word, 0);                                 \
    (void)shmem_##N##_fadd(&word, 2, 0);                       \
    (void)shmem_##N##_finc(&word, 0);                          \
    shmem_barrier_all();                                       \
    CHECK(shmem_##N##_fetch(&word, 0) == 7 * n_pes);           \
    shmem_barrier_all();                                       \
    shmem_##N##_set(&word, 5, next);                           \
    shmem_barrier_all();                                       \
    CHECK(shmem_##N##_swap(&word, 6, next) == 5);              \
    CHECK(shmem_##N##_cswap(&word, 6, 7, next) == 6);          \
    CHECK(shmem_##N##_cswap(&word, 6, 8, next) == 7);          \
    shmem_barrier_all();                                       \
    shmem_##N##_p(&word, 9, next);                             \
    shmem_##N##_wait(&word, 7);                                \
    shmem_##N##_wait_until(&word, _SHMEM_CMP_EQ, 9);           \
  }
ATOMICS(int, int)
ATOMICS(long, long)
ATOMICS(longlong, long long)

static void old_swaps_of_real_numbers(void) {
  static float f;
  static double d;
  f = 1.5f, d = 2.5;
  shmem_barrier_all();
  CHECK(shmem_float_swap(&f, 3.5f, next) == 1.5f && shmem_double_swap(&d, 4.5, next) == 2.5);
  CHECK(shmem_float_fetch(&f, next) == 3.5f && shmem_double_fetch(&d, next) == 4.5);
  shmem_barrier_all();
  shmem_float_set(&f, 5.5f, next);
  shmem_double_set(&d, 6.5, next);
  shmem_barrier_all();
  CHECK(f == 5.5f && d == 6.5);
}

/* Neither the library nor a collective changes what pSync has. */
static void sync_arrays_have_their_values(void) {
  int i;
  for (i = 0; i < _SHMEM_BCAST_SYNC_SIZE; ++i) CHECK(sync_a[i] == _SHMEM_SYNC_VALUE);
  for (i = 0; i < _SHMEM_COLLECT_SYNC_SIZE; ++i) CHECK(sync_b[i] == _SHMEM_SYNC_VALUE);
  for (i = 0; i < _SHMEM_REDUCE_SYNC_SIZE; ++i) CHECK(sync_c[i] == _SHMEM_SYNC_VALUE);
  for (i = 0; i < _SHMEM_BARRIER_SYNC_SIZE; ++i) CHECK(sync_d[i] == _SHMEM_SYNC_VALUE);
}

#define SUM_CASES(N, T) CASE(sums_of_##N),
#define EXTREME_CASES(N, T) CASE(extremes_of_##N),
#define BIT_CASES(N, T) CASE(bits_of_##N),
static const struct test_case all_cases[] = {
    CASE(sync_arrays_are_set), CASE(names_of_1_0_are_there), CASE(broadcast_of_32_bits_leaves_the_root_alone),
    CASE(broadcast_of_64_bits_leaves_the_root_alone), CASE(collect_of_32_bits_takes_different_lengths),
    CASE(collect_of_64_bits_takes_different_lengths), INTEGERS(BIT_CASES) INTEGERS(EXTREME_CASES) REALS(EXTREME_CASES)
    INTEGERS(SUM_CASES) REALS(SUM_CASES) CASE(sums_of_complexd), CASE(sums_of_complexf),
    CASE(barriers_of_a_set_complete_its_puts), CASE(old_atomics_of_int), CASE(old_atomics_of_long),
    CASE(old_atomics_of_longlong), CASE(old_swaps_of_real_numbers), CASE(sync_arrays_have_their_values)};

/* It ends by returning from main(): finalize is not of 1.0. */
int main(void) {
  start_pes(0);
  return run_cases(all_cases, COUNT(all_cases));
}
