/* SPDX-License-Identifier: Apache-2.0 */

/* How public suites use the API (micro-benchmarks, integer sorts, stencils, validation suites), in the subset that C99,
 * C11 and C++ have in common: start_pes() and no shmem_finalize(), arguments cast as they do, buffers that are static,
 * flags that are volatile, two pSync in turn. */
#include "../check.h"

enum { N = 64, PAGE = 4096, WINDOW = 16, MAX_PES = 64 };
#define BIGGER(a, b) ((a) > (b) ? (a) : (b))

static long p_sync[2][_SHMEM_REDUCE_SYNC_SIZE], b_sync[_SHMEM_BCAST_SYNC_SIZE], c_sync[_SHMEM_COLLECT_SYNC_SIZE];
static long bar_sync[_SHMEM_BARRIER_SYNC_SIZE];
static double d_work[BIGGER(N / 2 + 1, _SHMEM_REDUCE_MIN_WRKDATA_SIZE)];
static long long ll_work[_SHMEM_REDUCE_MIN_WRKDATA_SIZE];

static void fill(long* sync, int n) {
  int i;
  for (i = 0; i < n; ++i) sync[i] = _SHMEM_SYNC_VALUE;
}

static void prepare(void) {
  int i;
  for (i = 0; i < 2; ++i) fill(p_sync[i], _SHMEM_REDUCE_SYNC_SIZE);
  fill(b_sync, _SHMEM_BCAST_SYNC_SIZE);
  fill(c_sync, _SHMEM_COLLECT_SYNC_SIZE);
  fill(bar_sync, _SHMEM_BARRIER_SYNC_SIZE);
  shmem_barrier_all();
}

/* Buffers that are static and aligned to pages within; a window of puts, then a quiet; the average over PEs by a
 * reduction. */
static char s_buffer[PAGE * 3], r_buffer[PAGE * 3];
static char* aligned(char* buffer) { return (char*)(((size_t)buffer + PAGE - 1) / PAGE * PAGE); }
static void micro_benchmarks(void) {
  static double mine, average;
  char *from = aligned(s_buffer), *to = aligned(r_buffer);
  int size, i;
  for (size = 1; size <= PAGE; size *= 2) {
    memset(from, 'a' + me % 26, (size_t)size);
    memset(to, 0, (size_t)size);
    shmem_barrier_all();
    for (i = 0; i < WINDOW; ++i) shmem_putmem_nbi(to, from, (size_t)size, next);
    shmem_quiet();
    shmem_barrier_all();
    CHECK(to[0] == 'a' + previous % 26 && to[size - 1] == 'a' + previous % 26);
    shmem_getmem(to, from, (size_t)size, next);
    CHECK(to[size - 1] == 'a' + next % 26);
    shmem_barrier_all();
  }
  for (i = 0; i < 4; ++i) {
    mine = me + i;
    shmem_double_sum_to_all(&average, &mine, 1, 0, 0, n_pes, d_work, p_sync[i % 2]);
    CHECK(average == n_pes * (n_pes - 1) / 2.0 + (double)i * n_pes);
  }
}

/* A key exchange: the place at the target by a fetch-and-add, the keys by a put, sums of long long, times by a collect.
 */
static long long receive_offset;
static int bucket[MAX_PES * N];
static void integer_sort(void) {
  static long long local, total;
  static double time_here, times[MAX_PES];
  int keys[N], i;
  for (i = 0; i < N; ++i) keys[i] = me;
  receive_offset = 0;
  shmem_barrier_all();
  for (i = 0; i < n_pes; ++i) {
    const int target = (me + i) % n_pes;
    const long long place = shmem_longlong_fadd(&receive_offset, (long long int)(N / 2), target);
    shmem_int_put(&(bucket[place]), &(keys[0]), (size_t)(N / 2), target);
  }
  shmem_barrier_all();
  CHECK(receive_offset == (long long)n_pes * (N / 2));
  local = receive_offset;
  shmem_longlong_sum_to_all(&total, &local, 1, 0, 0, n_pes, ll_work, p_sync[0]);
  CHECK(total == (long long)n_pes * n_pes * (N / 2));
  for (local = 0, i = 0; i < receive_offset; ++i) local += bucket[i];
  CHECK(local == (long long)(N / 2) * n_pes * (n_pes - 1) / 2);
  time_here = me + 0.5;
  shmem_collect64(times, &time_here, 1, 0, 0, n_pes, c_sync);
  for (i = 0; i < n_pes; ++i) CHECK(times[i] == i + 0.5);
}

/* Neighbours that put a row, then raise a flag, for as many iterations as there are; arguments by a broadcast. */
static void stencils(void) {
  static volatile int flag;
  static int arguments[4];
  static double ghost[N];
  double row[N];
  int i, iteration;
  if (me == 0) arguments[0] = 7, arguments[1] = 9;
  shmem_barrier_all();
  shmem_broadcast32(&arguments[2], &arguments[0], 2, 0, 0, 0, n_pes, b_sync);
  CHECK(me == 0 || (arguments[2] == 7 && arguments[3] == 9));
  for (iteration = 1; iteration <= 5; ++iteration) {
    for (i = 0; i < N; ++i) row[i] = 100.0 * iteration + me;
    shmem_double_put(&ghost[0], &row[0], N, next);
    shmem_fence();
    shmem_int_p((int*)&flag, iteration, next);
    shmem_int_wait_until((int*)&flag, _SHMEM_CMP_GE, iteration);
    CHECK(ghost[0] == 100.0 * iteration + previous && ghost[N - 1] == ghost[0]);
    shmem_barrier(0, 0, n_pes, bar_sync);
  }
}

/* What validation suites go through: cache calls, old atomics, locks, accessible addresses, shfree of what shmalloc
 * gave. */
static void validation_suites(void) {
  static int i_word;
  static long l_word, lock;
  static long long ll_word;
  static float f_word;
  long* heap = (long*)shmalloc(N * sizeof(long));
  CHECK(heap != NULL && shmem_addr_accessible(heap, next) && shmem_pe_accessible(next));
  heap = (long*)shrealloc(heap, 2 * N * sizeof(long));
  CHECK(heap != NULL);
  shmem_set_cache_inv();
  shmem_set_cache_line_inv(&l_word);
  shmem_clear_cache_inv();
  shmem_udcflush();
  i_word = 10 + me, l_word = 20 + me, ll_word = 30 + me, f_word = (float)me;
  shmem_barrier_all();
  CHECK(shmem_int_finc(&i_word, next) == 10 + next);
  CHECK(shmem_long_cswap(&l_word, 20L + next, -1L, next) == 20 + next);
  CHECK(shmem_longlong_swap(&ll_word, -2LL, next) == 30 + next);
  CHECK(shmem_float_swap(&f_word, -3.0f, next) == (float)next);
  shmem_barrier_all();
  CHECK(i_word == 11 + me && l_word == -1 && ll_word == -2 && f_word == -3.0f);
  shmem_set_lock(&lock);
  shmem_long_p(&heap[0], shmem_long_g(&heap[0], 0) * 0 + 1, 0);
  shmem_clear_lock(&lock);
  if (shmem_test_lock(&lock) == 0) shmem_clear_lock(&lock);
  shmem_barrier_all();
  shfree(heap);
}

/* Generic names, with constants and a scalar's address as arguments. */
static void generic_names(void) {
#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L)
  static int target;
  static long counter, wide[4];
  static float single;
  const long source[4] = {1, 2, 3, 4};
  shmem_p(&target, me, next);
  shmem_p(&single, 1.5f, next);
  shmem_put(wide, source, 4, next);
  shmem_quiet();
  shmem_barrier_all();
  CHECK(target == previous && shmem_g(&target, next) == me && single == 1.5f && wide[3] == 4);
  shmem_atomic_inc(&counter, next);
  (void)shmem_atomic_fetch_add(&counter, 2L, next);
  shmem_wait_until(&counter, SHMEM_CMP_EQ, 3L);
  CHECK(shmem_test(&counter, SHMEM_CMP_NE, 4L));
#endif
}

static const struct test_case all_cases[] = {CASE(micro_benchmarks), CASE(integer_sort), CASE(stencils),
                                             CASE(validation_suites), CASE(generic_names)};

int main(void) {
  start_pes(0);
  me = _my_pe();
  n_pes = _num_pes();
  CHECK(n_pes <= MAX_PES);
  prepare();
  return run_cases(all_cases, COUNT(all_cases));
}
