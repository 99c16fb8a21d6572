// SPDX-License-Identifier: Apache-2.0

// A program whose trace is known: each PE puts 10 longs and 1000 bytes to the next one, gets 3 longs of it, adds to a
// counter of PE 0, and waits for a flag of the PE before. PE 1 comes late to the barrier. The argument says how it
// ends.
#include <sched.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long values[10], counter, flag, three[3];
static char block[1000];

// Those of its host that go to the barrier have told PE 1, by a store that no trace has: however late they are
// themselves, it is later.
static long gone;
static void go(void) {
  long* const there = shmem_ptr(&gone, 1);
  if (there != NULL) __atomic_fetch_add(there, 1, __ATOMIC_RELEASE);
}
static void wait_for_others(void) {
  long others = -1;
  for (int pe = 0; pe < shmem_n_pes(); ++pe) others += shmem_ptr(&gone, pe) != NULL;
  while (__atomic_load_n(&gone, __ATOMIC_ACQUIRE) < others) sched_yield();
}

static void be_late(void) {
  wait_for_others();
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < 20000000L);
}

static void end(const char* how, int me) {
  if (strcmp(how, "exit") == 0) exit(0);
  if (strcmp(how, "global_exit") == 0 && me == 1) shmem_global_exit(0);
  if (strcmp(how, "global_exit") == 0) shmem_barrier_all();
  if (strcmp(how, "abort") == 0 && me == 1) abort();
  if (strcmp(how, "abort") == 0) shmem_barrier_all();
  if (strcmp(how, "finalize") == 0) shmem_finalize();
  if (strcmp(how, "again") == 0) {
    shmem_finalize();
    shmem_init();
    shmem_long_p(&counter, 1, (me + 1) % shmem_n_pes());
    shmem_finalize();
  }
}

int main(int argc, char** argv) {
  shmem_init();
  const int me = shmem_my_pe(), next = (me + 1) % shmem_n_pes();
  static char mine[1000];
  for (int i = 0; i < 10; ++i) shmem_long_p(&values[i], i, next);
  shmem_putmem(block, mine, sizeof mine, next);
  shmem_long_get(three, values, 3, next);
  shmem_long_atomic_add(&counter, 1, 0);
  shmem_quiet();
  if (me == 1) {
    be_late();
  } else if (shmem_n_pes() > 1) {
    go();
  }
  shmem_barrier_all();
  shmem_long_p(&flag, 1, next);
  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
  shmem_sync_all();
  end(argc > 1 ? argv[1] : "return", me);
  return 0;
}
