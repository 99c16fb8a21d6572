/* SPDX-License-Identifier: Apache-2.0 */

/* The measurements of `weir bench shmem` by the one-sided operations and the collectives of MPI-3, to compare with: the
 * counterpart of shmem_bench.c. */
#include <mpi.h>

#include "bench.h"

static int rank, ranks;
static MPI_Win window, shared_window; /* the second where all ranks share memory: a line of each */
static char *remote, *local;          /* the window of this rank, of kMostBytes; private */
static double *sum_from, *sum_to;     /* kElements */
static int64_t *copy_from, *copy_to;  /* kElements for each rank */

enum { kWord = 0, kFlag = 1024, kLineBytes = 256 }; /* offsets in the window; of a rank in the shared one */

static int bench_rank(void) { return rank; }
static int bench_ranks(void) { return ranks; }
static void bench_barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

static long bench_share(long value) {
  MPI_Bcast(&value, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  return value;
}

static int64_t* bench_line(int of) {
  if (shared_window == MPI_WIN_NULL) return NULL;
  MPI_Aint bytes;
  int unit;
  char* start;
  MPI_Win_shared_query(shared_window, of, &bytes, &unit, &start);
  return (int64_t*)(void*)(start + kLineBytes / 2);
}

static void run_put(long count, size_t bytes) {
  if (rank != 0) return;
  for (long i = 0; i < count; ++i) {
    MPI_Put(local, (int)bytes, MPI_BYTE, 1, 0, (int)bytes, MPI_BYTE, window);
    MPI_Win_flush(1, window);
  }
}

static void run_get(long count, size_t bytes) {
  if (rank != 0) return;
  for (long i = 0; i < count; ++i) {
    MPI_Get(local, (int)bytes, MPI_BYTE, 1, 0, (int)bytes, MPI_BYTE, window);
    MPI_Win_flush(1, window);
  }
}

static void put_long(long value, MPI_Aint offset, int to) {
  MPI_Put(&value, 1, MPI_LONG, to, offset, 1, MPI_LONG, window);
  MPI_Win_flush(to, window);
}

static void run_put_one(long count, size_t bytes) {
  (void)bytes;
  if (rank != 0) return;
  for (long i = 0; i < count; ++i) put_long(i, kWord, 1);
}

static void run_get_one(long count, size_t bytes) {
  (void)bytes;
  if (rank != 0) return;
  long value, sum = 0;
  for (long i = 0; i < count; ++i) {
    MPI_Get(&value, 1, MPI_LONG, 1, kWord, 1, MPI_LONG, window);
    MPI_Win_flush(1, window);
    sum += value;
  }
  *(volatile long*)local = sum;
}

static void fetch_add(long count) {
  const long one = 1;
  long before;
  for (long i = 0; i < count; ++i) {
    MPI_Fetch_and_op(&one, &before, MPI_LONG, 1, kWord, MPI_SUM, window);
    MPI_Win_flush(1, window);
  }
}

static void run_fetch_add(long count, size_t bytes) {
  (void)bytes;
  if (rank == 0) fetch_add(count);
}

static void run_fetch_add_two(long count, size_t bytes) {
  (void)bytes;
  if (rank < 2) fetch_add(count);
}

/* Some libraries move nothing unless they are called. */
static void wait_for(const volatile long* word, long value) {
  for (long i = 1; *word < value; ++i) {
    MPI_Win_sync(window);
    int arrived;
    if (i % 64 == 0) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &arrived, MPI_STATUS_IGNORE);
  }
}

static void run_ping_pong(long count, size_t bytes) {
  (void)bytes;
  if (rank > 1) return;
  const volatile long* const flag = (const volatile long*)(const void*)(remote + kFlag);
  static long done; /* by both */
  const long start = done;
  done += count;
  for (long i = 1; i <= count; ++i) {
    if (rank == 0) put_long(start + i, kFlag, 1);
    wait_for(flag, start + i);
    if (rank == 1) put_long(start + i, kFlag, 0);
  }
}

static long messages;
static void* send_messages(void* number) {
  const MPI_Aint to = 4096 * (1 + *(const int*)number);
  long value = 0;
  for (long i = 0; i < messages; ++i) {
    MPI_Put(&value, 1, MPI_LONG, 1, to, 1, MPI_LONG, window);
    if (i % kBeforeQuiet == kBeforeQuiet - 1) MPI_Win_flush(1, window);
  }
  MPI_Win_flush(1, window);
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
  for (long i = 0; i < count; ++i) MPI_Barrier(MPI_COMM_WORLD);
}
static void run_sync(long count, size_t bytes) { run_barrier(count, bytes); } /* MPI has no other */

/* Each rank is the root in turn: nobody can be far ahead. */
static void run_broadcast(long count, size_t bytes) {
  for (long i = 0; i < count; ++i) {
    const int root = (int)(i % ranks);
    MPI_Bcast(root == rank ? copy_from : copy_to, (int)(bytes / 8), MPI_INT64_T, root, MPI_COMM_WORLD);
  }
}
static void run_sum(long count, size_t bytes) {
  for (long i = 0; i < count; ++i)
    MPI_Allreduce(sum_from, sum_to, (int)(bytes / 8), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void run_all_to_all(long count, size_t bytes) {
  const int elements = (int)(bytes / 8);
  for (long i = 0; i < count; ++i)
    MPI_Alltoall(copy_from, elements, MPI_INT64_T, copy_to, elements, MPI_INT64_T, MPI_COMM_WORLD);
}
static bool copy_is_right(void) { return copy_to[0] == 7; }
static bool sum_is_right(void) { return sum_to[0] == ranks; }

static void allocate_line(void) {
  MPI_Comm node;
  int on_node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &on_node);
  char* start;
  shared_window = MPI_WIN_NULL;
  if (on_node == ranks) {
    MPI_Win_allocate_shared(kLineBytes, 1, MPI_INFO_NULL, node, &start, &shared_window);
    memset(start, 0, kLineBytes);
  }
  MPI_Comm_free(&node);
}

static void allocate(void) {
  allocate_line();
  const size_t copies = (size_t)ranks * kElements;
  MPI_Win_allocate(kMostBytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &remote, &window);
  memset(remote, 0, kMostBytes);
  local = filled(kMostBytes);
  sum_from = filled(kElements * sizeof(double)), sum_to = filled(kElements * sizeof(double));
  copy_from = filled(copies * 8), copy_to = filled(copies * 8);
  for (size_t i = 0; i < kElements; ++i) sum_from[i] = 1, sum_to[i] = 0;
  for (size_t i = 0; i < copies; ++i) copy_from[i] = 7, copy_to[i] = 0;
  MPI_Win_lock_all(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  check_usage(argc, argv);
  int provided = 0;
  const int wanted = asks_for_threads(argc, argv) ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (provided < wanted || ranks < 2) {
    fprintf(stderr, ranks < 2 ? "1 rank: it takes 2\n" : "the library does not let threads communicate\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  allocate();
  measure_named(argc, argv);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  if (shared_window != MPI_WIN_NULL) MPI_Win_free(&shared_window);
  MPI_Finalize();
  return 0;
}
