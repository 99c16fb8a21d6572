// SPDX-License-Identifier: Apache-2.0

// A program whose trace is known: each PE puts 10 longs and 1000 bytes to the next one, gets 3 longs of it, adds to a
// counter of PE 0, and waits for a flag of the PE before. PE 1 comes late to the barrier. The argument says how it ends.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long values[10], counter, flag, three[3];
static char block[1000];

static void be_late(void) {
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
  if (me == 1) be_late();
  shmem_barrier_all();
  shmem_long_p(&flag, 1, next);
  shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
  shmem_sync_all();
  end(argc > 1 ? argv[1] : "return", me);
  return 0;
}
