/* SPDX-License-Identifier: Apache-2.0 */

/* A plugin that communicates, with a variable of its own: of a program that does not know of OpenSHMEM. */
#include <shmem.h>

static long count;

long count_pes(void) {
  long counted;
  shmem_init();
  shmem_long_atomic_inc(&count, 0);
  shmem_barrier_all();
  counted = shmem_my_pe() == 0 ? count : 0;
  shmem_finalize();
  return counted;
}
