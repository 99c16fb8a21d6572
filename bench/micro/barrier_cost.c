/* SPDX-License-Identifier: Apache-2.0 */

/* What a barrier of processes that share processors takes at least, without any library: barrier_cost PROCESSES.
 *
 * Each process has to have a turn of a processor before a barrier can end, and the last one of a processor may go on
 * at once: with n processes for each processor that is n - 1 changes of process, whatever the algorithm. `changes` are
 * these alone: the processes yield, and wait for nobody. The others are barriers, each with the way in which a process
 * gives its processor away; `yields` is how often one process does so for a barrier. Bound: process i may run on
 * processor i modulo their number; free: on any. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kMostProcesses = 64, kRounds = 4000, kSamples = 15 };

typedef struct Line {
  _Alignas(64) _Atomic uint32_t number;
} Line;

typedef struct Shared {
  Line flags[kMostProcesses]; /* how many barriers each has entered */
  Line arrived, ended;        /* of the counting barriers */
  Line begun;                 /* for the start of a sample */
  Line yields;
  double seconds[kMostProcesses];
} Shared;

static Shared* shared;
static unsigned processes, processors, me;
static uint32_t entered, yields; /* of this process */

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void give_away(void) {
  ++yields;
  sched_yield();
}

static void only_yield(void) { give_away(); }

/* As libweir-shmem does it: each writes a line of its own, and reads those of all. */
static void by_flags(void) {
  atomic_store_explicit(&shared->flags[me].number, ++entered, memory_order_release);
  for (unsigned i = 0; i < processes; ++i) {
    while ((int32_t)(atomic_load_explicit(&shared->flags[i].number, memory_order_acquire) - entered) < 0) give_away();
  }
}

/* One line that all count in, and one that the last of them writes. */
static bool is_last(void) {
  ++entered;
  if (atomic_fetch_add(&shared->arrived.number, 1) + 1 != entered * processes) return false;
  atomic_store(&shared->ended.number, entered);
  return true;
}
static bool has_ended(void) { return (int32_t)(atomic_load(&shared->ended.number) - entered) >= 0; }

static void by_counter(void) {
  if (is_last()) return;
  while (!has_ended()) give_away();
}

/* Who is missing may be running on the other processors: look again for about as long as a yield takes. */
static void by_counter_with_patience(void) {
  if (is_last()) return;
  while (!has_ended()) {
    const uint32_t missing = entered * processes - atomic_load(&shared->arrived.number);
    for (int spin = 0; missing < processors && spin < 20 && !has_ended(); ++spin) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    if (!has_ended()) give_away();
  }
}

/* The last one wakes all at once. */
static void by_sleep(void) {
  if (is_last()) {
    syscall(SYS_futex, &shared->ended.number, FUTEX_WAKE, processes, NULL, NULL, 0);
    return;
  }
  while (!has_ended()) {
    ++yields;
    syscall(SYS_futex, &shared->ended.number, FUTEX_WAIT, entered - 1, NULL, NULL, 0);
  }
}

static void bind_to(unsigned index, const cpu_set_t* all) {
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, all) && index-- == 0) {
      CPU_SET(cpu, &one);
      sched_setaffinity(0, sizeof one, &one);
    }
  }
}

static void wait_for_start(uint32_t of) {
  atomic_fetch_add(&shared->begun.number, 1);
  while (atomic_load(&shared->begun.number) < of * processes) sched_yield();
}

static int by_number(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Microseconds of one round of `round`, in all processes; the median of the samples. */
static double measure(void (*round)(void), bool is_bound, double* yields_of_one) {
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  *shared = (Shared){0};
  double samples[kSamples];
  for (me = processes - 1; me > 0; --me) {
    const pid_t child = fork();
    if (child < 0) {
      perror("barrier_cost: fork");
      exit(1);
    }
    if (child == 0) break;
  }
  if (is_bound) bind_to(me % processors, &all);
  entered = yields = 0;
  for (uint32_t sample = 0; sample < kSamples; ++sample) {
    wait_for_start(sample + 1);
    const double start = now();
    for (int i = 0; i < kRounds; ++i) round();
    samples[sample] = (now() - start) / kRounds * 1e6;
  }
  atomic_fetch_add(&shared->yields.number, yields);
  if (me != 0) _exit(0);
  for (unsigned i = 1; i < processes; ++i) {
    int status = 0;
    if (wait(&status) < 0 || status != 0) {
      fprintf(stderr, "barrier_cost: a process has ended with status %d\n", status);
      exit(1);
    }
  }
  sched_setaffinity(0, sizeof all, &all);
  *yields_of_one = (double)shared->yields.number / processes / kSamples / kRounds;
  qsort(samples, kSamples, sizeof *samples, by_number);
  return samples[kSamples / 2];
}

int main(int argc, char** argv) {
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  processors = (unsigned)CPU_COUNT(&all);
  processes = argc == 2 ? (unsigned)atoi(argv[1]) : 0;
  if (processes < 2 || processes > kMostProcesses || processes % processors != 0) {
    fprintf(stderr, "usage: barrier_cost PROCESSES\n2 to %d, a multiple of the %u processors\n", kMostProcesses,
            processors);
    return 2;
  }
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    perror("barrier_cost: mmap");
    return 1;
  }
  static const struct {
    const char* name;
    void (*round)(void);
  } kRows[] = {{"flags, yield", by_flags},
               {"counter, yield", by_counter},
               {"counter, look again, yield", by_counter_with_patience},
               {"counter, futex", by_sleep}};
  printf("%u processes on %u processors, us\n%-28s %8s %8s %8s %8s\n", processes, processors, "", "bound", "yields",
         "free", "yields");
  double given = 0;
  const double turns = measure(only_yield, true, &given); /* of all processes of a processor once */
  const unsigned shared_by = processes / processors;
  printf("%-28s %8.2f %8.2f\n", "changes", turns * (shared_by - 1) / shared_by, (double)(shared_by - 1) / shared_by);
  for (size_t row = 0; row < sizeof kRows / sizeof *kRows; ++row) {
    double bound_yields = 0, free_yields = 0;
    const double if_bound = measure(kRows[row].round, true, &bound_yields);
    const double if_free = measure(kRows[row].round, false, &free_yields);
    printf("%-28s %8.2f %8.2f %8.2f %8.2f\n", kRows[row].name, if_bound, bound_yields, if_free, free_yields);
    fflush(stdout);
  }
  return 0;
}
