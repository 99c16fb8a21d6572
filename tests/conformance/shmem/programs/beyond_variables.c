/* SPDX-License-Identifier: Apache-2.0 */

/* Puts more than a variable has room for, to one that is zero at first, or to one that is not. There are no others. */
#include <shmem.h>
#include <string.h>

int zero[10];
int initialised[10] = {1};

int main(int count, char** words) {
  char source[sizeof(zero) + 512] = {0};
  shmem_init();
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  int* const variable = count == 2 && strcmp(words[1], "zero") == 0 ? zero : initialised;
  if (shmem_my_pe() == 0) shmem_putmem(variable, source, sizeof(source), next);
  shmem_barrier_all();
  return 0;
}
