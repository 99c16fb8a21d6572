/* SPDX-License-Identifier: Apache-2.0 */

/* A program of OpenSHMEM 1.0: it returns from main(), and what it has put is there before that. */
#include <mpp/shmem.h>
#include <stdio.h>

static long word;

int main(void) {
  long value = 42;
  start_pes(0);
  shmem_long_put(&word, &value, 1, (_my_pe() + 1) % _num_pes());
  shmem_barrier_all();
  printf("PE %d of %d has %ld\n", _my_pe(), _num_pes(), word);
  return 0;
}
