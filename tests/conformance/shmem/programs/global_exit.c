/* SPDX-License-Identifier: Apache-2.0 */

/* One PE ends all of them, with status 7 or another, while the others wait in a barrier. */
#include <shmem.h>
#include <stdlib.h>

int main(int count, char **words) {
  shmem_init();
  if (shmem_my_pe() == shmem_n_pes() - 1) shmem_global_exit(count == 2 ? atoi(words[1]) : 7);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
