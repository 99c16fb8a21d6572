/* SPDX-License-Identifier: Apache-2.0 */

/* One PE ends all of them while the others wait in a barrier. */
#include <shmem.h>

int main(void) {
  shmem_init();
  if (shmem_my_pe() == shmem_n_pes() - 1) shmem_global_exit(7);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
