/* SPDX-License-Identifier: Apache-2.0 */

/* Blocks that are larger than the heap are NULL; the memory of the machine has nothing to do with it. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
  void* block;
  shmem_init();
  block = shmem_malloc(100);
  if (shmem_realloc(block, (size_t)1 << 50) != NULL || shmem_realloc(block, SIZE_MAX) != NULL) puts("realloc");
  if (shmem_malloc((size_t)1 << 50) != NULL || shmem_calloc(1, (size_t)1 << 50) != NULL) puts("malloc");
  shmem_free(block);
  shmem_finalize();
  return 0;
}
