/* SPDX-License-Identifier: Apache-2.0 */

/* A profiler: functions of its own in the place of the library's, which it calls by the names with a p. */
#include <shmem.h>
#include <stdarg.h>
#include <stdio.h>

static int puts_seen, barriers_seen, level_seen = -1;

void shmem_long_put(long *dest, const long *source, size_t nelems, int pe) {
  ++puts_seen;
  pshmem_long_put(dest, source, nelems, pe);
}
void shmem_barrier_all(void) {
  ++barriers_seen;
  pshmem_barrier_all();
}
void shmem_pcontrol(int level, ...) { level_seen = level; }

static long word;

int main(void) {
  long value = 5;
  int right;
  shmem_init();
  shmem_pcontrol(2);
  shmem_put(&word, &value, 1, shmem_my_pe()); /* the generic form, which is shmem_long_put */
  shmem_barrier_all();
  right = puts_seen == 1 && barriers_seen == 1 && level_seen == 2 && word == 5;
  if (!right) printf("%d puts, %d barriers, level %d, %ld\n", puts_seen, barriers_seen, level_seen, word);
  shmem_finalize();
  return !right;
}
