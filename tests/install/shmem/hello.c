/* SPDX-License-Identifier: Apache-2.0 */

/* Every PE adds one on PE 0, to a variable that no heap has: PE 0 says how many did. */
#include <mpp/shmem.h>
#include <stdio.h>

static long count;

int main(void) {
  shmem_init();
  shmem_long_atomic_inc(&count, 0);
  shmem_barrier_all();
  if (shmem_my_pe() == 0) printf("C: %ld of %d PEs\n", count, shmem_n_pes());
  shmem_finalize();
  return 0;
}
