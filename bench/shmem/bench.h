/* SPDX-License-Identifier: Apache-2.0 */

/* What the programs that `weir bench shmem` runs have in common: shmem_bench.c for any OpenSHMEM, rma_bench.c for any
 * MPI-3. PROGRAM SECONDS MICROSECONDS BENCH...: measures these, each sample of so many microseconds at least, and ends
 * itself after so many seconds. Rank 0 prints a line of JSON for each, and {"done":true} at the end: what the library
 * does when it ends is not measured, and may go wrong.
 *
 * For programs of one file: everything is static. Each defines the functions that are declared here. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kSamples = 11, kMostBytes = 4 << 20, kElements = 1024, kMostThreads = 2 };
enum { kMessages = 4096, kBeforeQuiet = 64 }; /* of a thread at a time: more than starting it takes */

static int bench_rank(void);
static int bench_ranks(void);
static void bench_barrier(void);
static long bench_share(long value); /* what rank 0 gives */
/* A word of that rank in a line of its own, where this process addresses it; NULL: they share no memory. */
static int64_t* bench_line(int of);

static const double kMostSeconds = 1; /* for the samples of one measurement: fewer of them when each takes long */

typedef enum Unit { kMicroseconds, kGbPerS, kMillionPerS } Unit;
static const char* const kUnits[] = {"us", "GB/s", "M/s"};

typedef struct Bench {
  const char* name;
  size_t bytes; /* 0: every size of a bandwidth, one after the other */
  Unit unit;
  int operations; /* that `run` does for each of its count; 0: kMessages of each thread */
  bool together;  /* all ranks have to be done; else rank 0 alone */
  void (*run)(long count, size_t bytes);
  bool (*right)(void); /* of the result, or NULL */
} Bench;

static void spin_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static double bench_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* What the processors can do where the host has put the first two ranks: a word there and back by stores and loads. */
static bool has_lines(void) { return bench_line(0) != NULL && bench_line(1) != NULL; }
static void run_line(long count, size_t bytes) {
  (void)bytes;
  if (bench_rank() > 1) return;
  int64_t *const mine = bench_line(bench_rank()), *const other = bench_line(1 - bench_rank());
  static int64_t done; /* by both */
  const int64_t start = done;
  done += count;
  for (int64_t i = 1; i <= count; ++i) {
    if (bench_rank() == 0) __atomic_store_n(other, start + i, __ATOMIC_RELEASE);
    while (__atomic_load_n(mine, __ATOMIC_ACQUIRE) < start + i) spin_pause();
    if (bench_rank() == 1) __atomic_store_n(other, start + i, __ATOMIC_RELEASE);
  }
}

/* The same in short, in us one way: so it is beside each measurement known where the host had the two. 0: there are no
 * lines, or more ranks, of which two may have one core. */
static double short_line(void) {
  enum { kTrips = 300, kTries = 3 };
  if (bench_ranks() != 2 || !has_lines()) return 0;
  double least = 0;
  for (int i = 0; i < kTries; ++i) {
    bench_barrier();
    const double start = bench_now();
    run_line(kTrips, 0);
    const double us = (bench_now() - start) / (2 * kTrips) * 1e6;
    if (i == 0 || us < least) least = us;
  }
  return least;
}

static double seconds_of(const Bench* b, long count, size_t bytes) {
  bench_barrier();
  const double start = bench_now();
  b->run(count, bytes);
  if (b->together) bench_barrier();
  const double seconds = bench_now() - start;
  bench_barrier();
  return seconds;
}

/* How often it has to run to take so long. */
static long calibrate(const Bench* b, size_t bytes, double seconds) {
  for (long count = bench_ranks();;) { /* each has been the root of a broadcast */
    const double took = seconds_of(b, count, bytes);
    const double factor = took > 0 ? 1.2 * seconds / took : 10;
    const long next = took >= seconds ? 0 : (long)((double)count * (factor < 10 ? factor : 10)) + 1;
    const long agreed = bench_share(next);
    if (agreed == 0) return count;
    count = agreed;
  }
}

static int compare_doubles(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double value_of(const Bench* b, double seconds, double operations, size_t bytes) {
  switch (b->unit) {
    case kMicroseconds: return seconds / operations * 1e6;
    case kGbPerS: return (double)bytes * operations / seconds * 1e-9;
    default: return operations / seconds * 1e-6;
  }
}

static int threads_of(const Bench* b) { return b->name[strlen(b->name) - 1] - '0'; }

static void measure(const Bench* b, size_t bytes, double seconds) {
  const long count = calibrate(b, bytes, seconds);
  const double operations = (double)count * (b->operations > 0 ? b->operations : kMessages * threads_of(b));
  const double before = short_line();
  const double start = bench_now();
  double values[kSamples];
  int taken = 0;
  do {
    values[taken++] = value_of(b, seconds_of(b, count, bytes), operations, bytes);
  } while (bench_share(taken < kSamples && bench_now() - start < kMostSeconds) != 0);
  const double after = short_line();
  const bool right = b->right == NULL || b->right();
  if (!right) fprintf(stderr, "%s: rank %d has a wrong result\n", b->name, bench_rank());
  bench_barrier();
  if (bench_rank() != 0) return;
  qsort(values, (size_t)taken, sizeof *values, compare_doubles);
  printf("{\"bench\":\"%s\",\"bytes\":%zu,\"unit\":\"%s\",\"value\":%.6g,\"line\":[%.6g,%.6g],\"right\":%s}\n", b->name,
         bytes, kUnits[b->unit], values[taken / 2], before, after, right ? "true" : "false");
  fflush(stdout);
}

static void measure_sizes(const Bench* b, double seconds) {
  static const size_t sizes[] = {8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 1 << 20, kMostBytes};
  if (b->bytes > 0) return measure(b, b->bytes, seconds);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) measure(b, sizes[i], seconds);
}

/* Threads of rank 0, each doing `work` with its number. */
static void in_threads(int threads, void* (*work)(void*)) {
  static const int numbers[kMostThreads] = {0, 1};
  pthread_t thread[kMostThreads];
  for (int i = 1; i < threads; ++i)
    if (pthread_create(&thread[i], NULL, work, (void*)&numbers[i]) != 0) abort();
  work((void*)&numbers[0]);
  for (int i = 1; i < threads; ++i) pthread_join(thread[i], NULL);
}

/* What memory can do in this process, to compare with. */
static char *memcpy_from, *memcpy_to;
static void run_memcpy(long count, size_t bytes) {
  if (bench_rank() != 0) return;
  for (long i = 0; i < count; ++i) {
    memcpy(memcpy_to, memcpy_from, bytes);
    __asm__ volatile("" ::: "memory");
  }
}

static void* filled(size_t bytes) {
  void* memory = NULL;
  if (posix_memalign(&memory, 4096, bytes) != 0) abort();
  return memset(memory, 1, bytes);
}

static bool named(const Bench* b, int count, char** names) {
  for (int i = 0; i < count; ++i)
    if (strcmp(names[i], b->name) == 0) return true;
  return false;
}

static bool asks_for_threads(int argc, char** argv) {
  for (int i = 3; i < argc; ++i)
    if (strncmp(argv[i], "rate", 4) == 0) return true;
  return false;
}

static void check_usage(int argc, char** argv) {
  if (argc < 4 || atoi(argv[1]) < 1 || atof(argv[2]) <= 0) {
    fprintf(stderr, "usage: %s SECONDS MICROSECONDS BENCH...\n", argv[0]);
    exit(2);
  }
  alarm((unsigned)atoi(argv[1])); /* also when whoever started it is gone */
}

/* What each program does for a bench: `count` times, with so many bytes. */
static void run_put_one(long count, size_t bytes);
static void run_get_one(long count, size_t bytes);
static void run_fetch_add(long count, size_t bytes);
static void run_fetch_add_two(long count, size_t bytes);
static void run_ping_pong(long count, size_t bytes);
static void run_put(long count, size_t bytes);
static void run_get(long count, size_t bytes);
static void run_rate_1(long count, size_t bytes);
static void run_rate_2(long count, size_t bytes);
static void run_barrier(long count, size_t bytes);
static void run_sync(long count, size_t bytes);
static void run_broadcast(long count, size_t bytes);
static void run_sum(long count, size_t bytes);
static void run_all_to_all(long count, size_t bytes);
static bool copy_is_right(void);
static bool sum_is_right(void);

static const Bench kBenches[] = {
    {"line", 8, kMicroseconds, 2, false, run_line, NULL},
    {"put", 8, kMicroseconds, 1, false, run_put_one, NULL},
    {"get", 8, kMicroseconds, 1, false, run_get_one, NULL},
    {"fetch_add", 8, kMicroseconds, 1, false, run_fetch_add, NULL},
    {"fetch_add_two", 8, kMicroseconds, 1, false, run_fetch_add_two, NULL},
    {"ping_pong", 8, kMicroseconds, 2, false, run_ping_pong, NULL},
    {"put_bandwidth", 0, kGbPerS, 1, false, run_put, NULL},
    {"get_bandwidth", 0, kGbPerS, 1, false, run_get, NULL},
    {"memcpy", 0, kGbPerS, 1, false, run_memcpy, NULL},
    {"rate_1", 8, kMillionPerS, 0, false, run_rate_1, NULL},
    {"rate_2", 8, kMillionPerS, 0, false, run_rate_2, NULL},
    {"barrier_all", 8, kMicroseconds, 1, true, run_barrier, NULL},
    {"sync_all", 8, kMicroseconds, 1, true, run_sync, NULL},
    {"broadcast_1", 8, kMicroseconds, 1, true, run_broadcast, copy_is_right},
    {"broadcast_1024", 8 * kElements, kMicroseconds, 1, true, run_broadcast, copy_is_right},
    {"sum_1", 8, kMicroseconds, 1, true, run_sum, sum_is_right},
    {"sum_1024", 8 * kElements, kMicroseconds, 1, true, run_sum, sum_is_right},
    {"alltoall_1", 8, kMicroseconds, 1, true, run_all_to_all, copy_is_right},
    {"alltoall_1024", 8 * kElements, kMicroseconds, 1, true, run_all_to_all, copy_is_right},
    {NULL, 0, kMicroseconds, 0, false, NULL, NULL}};

static void measure_named(int argc, char** argv) {
  memcpy_from = filled(kMostBytes), memcpy_to = filled(kMostBytes);
  for (const Bench* b = kBenches; b->name != NULL; ++b)
    if (named(b, argc - 3, argv + 3) && (b->run != run_line || has_lines())) measure_sizes(b, atof(argv[2]) * 1e-6);
  bench_barrier();
  if (bench_rank() == 0) puts("{\"done\":true}");
  fflush(stdout);
  free(memcpy_from), free(memcpy_to);
}
