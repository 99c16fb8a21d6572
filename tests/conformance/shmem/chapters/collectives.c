/* SPDX-License-Identifier: Apache-2.0 */

/* Collectives of teams: of the world, and of the PEs backwards, so that a team's numbers are not the world's. */
#include "../check.h"

#include <complex.h>

enum { MOST_PES = 16, PART = 6 };

static shmem_team_t teams[2];
static int mine[2]; /* this PE's number in each */

static void make_teams(void) {
  teams[0] = SHMEM_TEAM_WORLD;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n_pes - 1, -1, n_pes, NULL, 0, &teams[1]) == 0);
  mine[0] = me;
  mine[1] = n_pes - 1 - me;
  CHECK(n_pes <= MOST_PES);
}

#define ARRAYS(N, T) static T N##_dest[MOST_PES * PART], N##_source[MOST_PES * PART];
#define REDUCE_TYPES(X) STANDARD_RMA_TYPES(X) X(complexd, double _Complex) X(complexf, float _Complex)
REDUCE_TYPES(ARRAYS)

/* Element i of member `pe`; small, so that it is in every type. */
#define ELEMENT(T, pe, i) ((T)((pe) * 5 + (i)))

#define MOVES(N, T)                                                                                                  \
  static void moves_of_##N(void) {                                                                                   \
    for (int t = 0; t < 2; ++t) {                                                                                    \
      const int my = mine[t];                                                                                        \
      for (int i = 0; i < MOST_PES * PART; ++i) N##_source[i] = ELEMENT(T, my, i), N##_dest[i] = (T)123;             \
      const int root = n_pes / 2;                                                                                    \
      CHECK(shmem_##N##_broadcast(teams[t], N##_dest, N##_source, PART, root) == 0);                                 \
      for (int i = 0; i < PART; ++i) CHECK(N##_dest[i] == ELEMENT(T, root, i)); /* the root's, too */                \
      CHECK(N##_dest[PART] == (T)123);                                                                               \
      shmem_team_sync(teams[t]);                                                                                     \
      CHECK(shmem_fcollect(teams[t], N##_dest, N##_source, 2) == 0);                                                 \
      for (int pe = 0; pe < n_pes; ++pe)                                                                             \
        CHECK(N##_dest[2 * pe] == ELEMENT(T, pe, 0) && N##_dest[2 * pe + 1] == ELEMENT(T, pe, 1));                   \
      shmem_team_sync(teams[t]);                                                                                     \
      /* as many elements as the member's number says, modulo 4: some give nothing */                               \
      CHECK(shmem_##N##_collect(teams[t], N##_dest, N##_source, (size_t)my % 4) == 0);                               \
      for (int pe = 0, at = 0; pe < n_pes; ++pe) {                                                                   \
        for (int i = 0; i < pe % 4; ++i) CHECK(N##_dest[at + i] == ELEMENT(T, pe, i));                               \
        at += pe % 4;                                                                                                \
      }                                                                                                              \
      shmem_team_sync(teams[t]);                                                                                     \
      CHECK(shmem_##N##_alltoall(teams[t], N##_dest, N##_source, 3) == 0);                                           \
      for (int pe = 0; pe < n_pes; ++pe) {                                                                           \
        for (int i = 0; i < 3; ++i) CHECK(N##_dest[3 * pe + i] == ELEMENT(T, pe, 3 * my + i));                       \
      }                                                                                                              \
      shmem_team_sync(teams[t]);                                                                                     \
      for (int i = 0; i < MOST_PES * PART; ++i) N##_dest[i] = (T)123;                                                \
      shmem_team_sync(teams[t]);                                                                                     \
      CHECK(shmem_alltoalls(teams[t], N##_dest, N##_source, 2, 3, 2) == 0);                                          \
      for (int pe = 0; pe < n_pes; ++pe) {                                                                           \
        for (int i = 0; i < 2; ++i) CHECK(N##_dest[(2 * pe + i) * 2] == ELEMENT(T, pe, (2 * my + i) * 3));           \
        CHECK(N##_dest[2 * pe * 2 + 1] == (T)123);                                                                   \
      }                                                                                                              \
      shmem_team_sync(teams[t]);                                                                                     \
    }                                                                                                                \
  }
STANDARD_RMA_TYPES(MOVES)

/* A reduction, and once more where the destination is the source; `expected` is computed from all members' elements. */
#define CHECK_REDUCE(N, T, op, expression, first, t)                                 \
  do {                                                                               \
    T expected[PART];                                                                \
    for (int i = 0; i < PART; ++i) {                                                 \
      T a = first;                                                                   \
      for (int pe = 0; pe < n_pes; ++pe) {                                           \
        const T b = (T)(pe % 3 + i % 2 + 1);                                         \
        a = (T)(expression);                                                         \
      }                                                                              \
      expected[i] = a;                                                               \
      N##_source[i] = (T)(mine[t] % 3 + i % 2 + 1);                                  \
      N##_dest[i] = 0;                                                               \
    }                                                                                \
    shmem_team_sync(teams[t]);                                                       \
    CHECK(shmem_##N##_##op##_reduce(teams[t], N##_dest, N##_source, PART) == 0);     \
    for (int i = 0; i < PART; ++i) CHECK(N##_dest[i] == expected[i]);                \
    CHECK(shmem_##op##_reduce(teams[t], N##_source, N##_source, PART) == 0);         \
    for (int i = 0; i < PART; ++i) CHECK(N##_source[i] == expected[i]);              \
    shmem_team_sync(teams[t]);                                                       \
  } while (0)

#define SUMS(N, T)                                                                       \
  static void sums_of_##N(void) {                                                        \
    for (int t = 0; t < 2; ++t) {                                                        \
      CHECK_REDUCE(N, T, sum, a + b, 0, t);                                              \
      CHECK_REDUCE(N, T, prod, a * b, 1, t);                                             \
      for (int i = 0; i < PART; ++i) N##_source[i] = (T)(mine[t] + 1 + i);               \
      shmem_team_sync(teams[t]);                                                         \
      CHECK(shmem_##N##_sum_inscan(teams[t], N##_dest, N##_source, PART) == 0);          \
      for (int i = 0; i < PART; ++i) {                                                   \
        T sum = 0;                                                                       \
        for (int pe = 0; pe <= mine[t]; ++pe) sum = (T)(sum + (T)(pe + 1 + i));          \
        CHECK(N##_dest[i] == sum);                                                       \
      }                                                                                  \
      shmem_team_sync(teams[t]);                                                         \
      CHECK(shmem_sum_exscan(teams[t], N##_dest, N##_source, PART) == 0);                \
      for (int i = 0; i < PART; ++i) {                                                   \
        T sum = 0;                                                                       \
        for (int pe = 0; pe < mine[t]; ++pe) sum = (T)(sum + (T)(pe + 1 + i));           \
        CHECK(N##_dest[i] == sum);                                                       \
      }                                                                                  \
      shmem_team_sync(teams[t]);                                                         \
    }                                                                                    \
  }
REDUCE_TYPES(SUMS)

#define EXTREMES(N, T)                                     \
  static void extremes_of_##N(void) {                      \
    for (int t = 0; t < 2; ++t) {                          \
      CHECK_REDUCE(N, T, min, a < b ? a : b, 100, t);      \
      CHECK_REDUCE(N, T, max, a > b ? a : b, 0, t);        \
    }                                                      \
  }
STANDARD_RMA_TYPES(EXTREMES)

#define BIT_TYPES(X)                                                                                                 \
  X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned) X(ulong, unsigned long)                        \
  X(ulonglong, unsigned long long) X(int8, int8_t) X(int16, int16_t) X(int32, int32_t) X(int64, int64_t)             \
  X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t) X(longlong, long long)
#define BITS(N, T)                                         \
  static void bits_of_##N(void) {                          \
    for (int t = 0; t < 2; ++t) {                          \
      CHECK_REDUCE(N, T, and, a & b, (T)~(T)0, t);         \
      CHECK_REDUCE(N, T, or, a | b, 0, t);                 \
      CHECK_REDUCE(N, T, xor, a ^ b, 0, t);                \
    }                                                      \
  }
BIT_TYPES(BITS)

static void bytes_are_moved_without_a_type(void) {
  static char dest[4 * MOST_PES], source[4 * MOST_PES];
  for (int i = 0; i < 4 * MOST_PES; ++i) source[i] = (char)(me * 4 + i);
  shmem_barrier_all();
  CHECK(shmem_broadcastmem(SHMEM_TEAM_WORLD, dest, source, 3, 0) == 0);
  CHECK(dest[2] == 2);
  shmem_sync_all();
  CHECK(shmem_collectmem(SHMEM_TEAM_WORLD, dest, source, (size_t)(me == 0 ? 1 : 2)) == 0);
  CHECK(dest[0] == 0 && (n_pes == 1 || (dest[1] == 4 && dest[2] == 5)));
  shmem_sync_all();
  CHECK(shmem_fcollectmem(SHMEM_TEAM_WORLD, dest, source, 1) == 0);
  CHECK(dest[n_pes - 1] == (char)((n_pes - 1) * 4));
  shmem_sync_all();
  CHECK(shmem_alltoallmem(SHMEM_TEAM_WORLD, dest, source, 1) == 0);
  CHECK(dest[n_pes - 1] == (char)((n_pes - 1) * 4 + me));
  shmem_sync_all();
  CHECK(shmem_alltoallsmem(SHMEM_TEAM_WORLD, dest, source, 2, 1, 1) == 0);
  CHECK(dest[2 * (n_pes - 1)] == (char)((n_pes - 1) * 4 + me));
}

static void nothing_is_moved_by_zero_elements(void) {
  long_dest[0] = 77;
  shmem_barrier_all();
  CHECK(shmem_long_broadcast(SHMEM_TEAM_WORLD, long_dest, long_source, 0, 0) == 0);
  CHECK(shmem_long_collect(SHMEM_TEAM_WORLD, long_dest, long_source, 0) == 0);
  CHECK(shmem_long_fcollect(SHMEM_TEAM_WORLD, long_dest, long_source, 0) == 0);
  CHECK(shmem_long_alltoall(SHMEM_TEAM_WORLD, long_dest, long_source, 0) == 0);
  CHECK(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, long_dest, long_source, 0) == 0);
  CHECK(long_dest[0] == 77);
}

static void an_invalid_team_is_refused(void) {
  CHECK(shmem_team_sync(SHMEM_TEAM_INVALID) != 0);
  CHECK(shmem_long_broadcast(SHMEM_TEAM_INVALID, long_dest, long_source, 1, 0) != 0);
  CHECK(shmem_long_sum_reduce(SHMEM_TEAM_INVALID, long_dest, long_source, 1) != 0);
}

/* All puts that were issued before are there after it, on every PE. */
static void a_barrier_completes_puts(void) {
  static long words[MOST_PES];
  for (int round = 1; round <= 100; ++round) {
    long value = round;
    for (int pe = 0; pe < n_pes; ++pe) shmem_long_put_nbi(&words[me], &value, 1, pe);
    shmem_barrier_all();
    for (int pe = 0; pe < n_pes; ++pe) CHECK(words[pe] == round);
    shmem_sync_all();
  }
}

static void large_arrays_are_reduced_and_broadcast(void) {
  enum { N = 100000 };
  double *dest = shmem_malloc(N * sizeof *dest), *source = shmem_malloc(N * sizeof *source);
  int wrong = 0;
  for (int i = 0; i < N; ++i) source[i] = me + i % 7;
  shmem_barrier_all();
  CHECK(shmem_sum_reduce(SHMEM_TEAM_WORLD, dest, source, N) == 0);
  for (int i = 0; i < N; ++i) wrong += dest[i] != n_pes * (n_pes - 1) / 2 + n_pes * (i % 7);
  CHECK(wrong == 0);
  CHECK(shmem_broadcast(SHMEM_TEAM_WORLD, dest, source, N, n_pes - 1) == 0);
  for (int i = 0; i < N; ++i) wrong += dest[i] != n_pes - 1 + i % 7;
  CHECK(wrong == 0);
  shmem_free(source);
  shmem_free(dest);
}

static void end_teams(void) { shmem_team_destroy(teams[1]); }

#define MOVE_CASES(N, T) CASE(moves_of_##N),
#define SUM_CASES(N, T) CASE(sums_of_##N),
#define EXTREME_CASES(N, T) CASE(extremes_of_##N),
#define BIT_CASES(N, T) CASE(bits_of_##N),
CHAPTER(CASE(make_teams), STANDARD_RMA_TYPES(MOVE_CASES) REDUCE_TYPES(SUM_CASES) STANDARD_RMA_TYPES(EXTREME_CASES)
            BIT_TYPES(BIT_CASES) CASE(bytes_are_moved_without_a_type), CASE(nothing_is_moved_by_zero_elements),
        CASE(an_invalid_team_is_refused), CASE(a_barrier_completes_puts), CASE(large_arrays_are_reduced_and_broadcast),
        CASE(end_teams))
