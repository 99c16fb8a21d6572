/* SPDX-License-Identifier: Apache-2.0 */

/* The measurements of `weir bench shmem` for an OpenSHMEM library: of standard OpenSHMEM 1.4, with the teams of 1.5
 * where there are any. bench.h says how it is called, ../README.md what it measures. */
#include <shmem.h>

#include "bench.h"

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
#define HAS_TEAMS 1
#else
#define HAS_TEAMS 0
#endif

enum { kMostRanks = 64 };

static int rank, ranks;
static long shared_value, word[16], flag;
static int64_t line[24];     /* its middle lies in a line of its own */
static char *remote, *local; /* of kMostBytes: symmetric, private */
static double *sum_from, *sum_to;
static int64_t *copy_from, *copy_to; /* kElements for each rank */

static int bench_rank(void) { return rank; }
static int bench_ranks(void) { return ranks; }
static void bench_barrier(void) { shmem_barrier_all(); }

static long bench_share(long value) {
  if (rank == 0)
    for (int pe = 0; pe < ranks; ++pe) shmem_long_p(&shared_value, value, pe);
  shmem_barrier_all();
  value = shared_value;
  shmem_barrier_all();
  return value;
}

static int64_t* bench_line(int of) { return shmem_ptr(&line[8], of); }

static void run_put(long count, size_t bytes) {
  if (rank != 0) return;
  for (long i = 0; i < count; ++i) {
    shmem_putmem(remote, local, bytes, 1);
    shmem_quiet();
  }
}

static void run_get(long count, size_t bytes) {
  if (rank != 0) return;
  for (long i = 0; i < count; ++i) shmem_getmem(local, remote, bytes, 1);
}

static void run_put_one(long count, size_t bytes) {
  (void)bytes;
  if (rank != 0) return;
  for (long i = 0; i < count; ++i) {
    shmem_long_p(word, i, 1);
    shmem_quiet();
  }
}

static void run_get_one(long count, size_t bytes) {
  (void)bytes;
  if (rank != 0) return;
  long sum = 0;
  for (long i = 0; i < count; ++i) sum += shmem_long_g(word, 1);
  *(volatile long*)local = sum;
}

static void fetch_add(long count) {
  for (long i = 0; i < count; ++i) (void)shmem_long_atomic_fetch_add(word, 1, 1);
}

static void run_fetch_add(long count, size_t bytes) {
  (void)bytes;
  if (rank == 0) fetch_add(count);
}

static void run_fetch_add_two(long count, size_t bytes) {
  (void)bytes;
  if (rank < 2) fetch_add(count);
}

/* Rank 1 answers what rank 0 sends. */
static void run_ping_pong(long count, size_t bytes) {
  (void)bytes;
  if (rank > 1) return;
  static long done; /* by both */
  const long start = done;
  done += count;
  for (long i = 1; i <= count; ++i) {
    if (rank == 0) shmem_long_p(&flag, start + i, 1);
    shmem_long_wait_until(&flag, SHMEM_CMP_GE, start + i);
    if (rank == 1) shmem_long_p(&flag, start + i, 0);
  }
}

static long messages;
static void* send_messages(void* number) {
  const int thread = *(const int*)number;
  shmem_ctx_t ctx;
  const bool own = shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx) == 0;
  if (!own) ctx = SHMEM_CTX_DEFAULT;
  long* const to = (long*)(void*)(remote + 4096 * thread);
  for (long i = 0; i < messages; ++i) {
    shmem_ctx_long_p(ctx, to, i, 1);
    if (i % kBeforeQuiet == kBeforeQuiet - 1) shmem_ctx_quiet(ctx);
  }
  shmem_ctx_quiet(ctx);
  if (own) shmem_ctx_destroy(ctx);
  return NULL;
}
static void run_rate(long count, int threads) {
  if (rank != 0) return;
  messages = count * kMessages;
  in_threads(threads, send_messages);
}
static void run_rate_1(long count, size_t bytes) { (void)bytes, run_rate(count, 1); }
static void run_rate_2(long count, size_t bytes) { (void)bytes, run_rate(count, 2); }

static void run_barrier(long count, size_t bytes) {
  (void)bytes;
  for (long i = 0; i < count; ++i) shmem_barrier_all();
}

static void run_sync(long count, size_t bytes) {
  (void)bytes;
  for (long i = 0; i < count; ++i) shmem_sync_all();
}

/* Each rank is the root in turn: nobody can be far ahead. */
#if HAS_TEAMS
static void prepare(void) {}
static void broadcast(long i, size_t count) {
  shmem_int64_broadcast(SHMEM_TEAM_WORLD, copy_to, copy_from, count, (int)(i % ranks));
}
static void sum(long i, size_t count) {
  (void)i;
  shmem_double_sum_reduce(SHMEM_TEAM_WORLD, sum_to, sum_from, count);
}
static void all_to_all(long i, size_t count) {
  (void)i;
  shmem_int64_alltoall(SHMEM_TEAM_WORLD, copy_to, copy_from, count);
}
#else
static long broadcast_sync[2 * kMostRanks][SHMEM_BCAST_SYNC_SIZE], sum_sync[2][SHMEM_REDUCE_SYNC_SIZE];
static long all_sync[2][SHMEM_ALLTOALL_SYNC_SIZE];
static double sum_work[2][kElements / 2 + 1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static void fill(long* sync, size_t count) {
  for (size_t i = 0; i < count; ++i) sync[i] = SHMEM_SYNC_VALUE;
}
static void prepare(void) {
  fill(broadcast_sync[0], sizeof broadcast_sync / sizeof(long));
  fill(sum_sync[0], sizeof sum_sync / sizeof(long));
  fill(all_sync[0], sizeof all_sync / sizeof(long));
}
static void broadcast(long i, size_t count) {
  shmem_broadcast64(copy_to, copy_from, count, (int)(i % ranks), 0, 0, ranks, broadcast_sync[i % (2 * ranks)]);
}
static void sum(long i, size_t count) {
  shmem_double_sum_to_all(sum_to, sum_from, (int)count, 0, 0, ranks, sum_work[i % 2], sum_sync[i % 2]);
}
static void all_to_all(long i, size_t count) {
  shmem_alltoall64(copy_to, copy_from, count, 0, 0, ranks, all_sync[i % 2]);
}
#endif

static void run_broadcast(long count, size_t bytes) {
  for (long i = 0; i < count; ++i) broadcast(i, bytes / 8);
}
static void run_sum(long count, size_t bytes) {
  for (long i = 0; i < count; ++i) sum(i, bytes / 8);
}
static void run_all_to_all(long count, size_t bytes) {
  for (long i = 0; i < count; ++i) all_to_all(i, bytes / 8);
}
static bool copy_is_right(void) { return ranks == 1 || copy_to[0] == 7; }
static bool sum_is_right(void) { return sum_to[0] == ranks; }

static void allocate(void) {
  const size_t copies = (size_t)ranks * kElements;
  remote = shmem_align(4096, kMostBytes);
  sum_from = shmem_align(64, kElements * sizeof(double)), sum_to = shmem_align(64, kElements * sizeof(double));
  copy_from = shmem_align(64, copies * 8), copy_to = shmem_align(64, copies * 8);
  if (remote == NULL || sum_from == NULL || sum_to == NULL || copy_from == NULL || copy_to == NULL) {
    fprintf(stderr, "no symmetric memory for the measurements\n");
    shmem_global_exit(1);
  }
  local = filled(kMostBytes);
  memset(remote, 1, kMostBytes);
  for (size_t i = 0; i < kElements; ++i) sum_from[i] = 1, sum_to[i] = 0;
  for (size_t i = 0; i < copies; ++i) copy_from[i] = 7, copy_to[i] = 0;
  prepare();
  shmem_barrier_all();
}

int main(int argc, char** argv) {
  check_usage(argc, argv);
  if (asks_for_threads(argc, argv)) {
    int provided = 0;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    if (provided != SHMEM_THREAD_MULTIPLE) {
      fprintf(stderr, "the library does not let threads communicate\n");
      shmem_global_exit(1);
    }
  } else {
    shmem_init();
  }
  rank = shmem_my_pe(), ranks = shmem_n_pes();
  if (ranks > kMostRanks || ranks < 2) {
    fprintf(stderr, "%d PEs: it takes 2 to %d\n", ranks, (int)kMostRanks);
    shmem_global_exit(2);
  }
  allocate();
  measure_named(argc, argv);
  shmem_finalize();
  return 0;
}
