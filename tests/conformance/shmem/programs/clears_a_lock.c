/* SPDX-License-Identifier: Apache-2.0 */

/* PE 1 clears a lock that it has not got: one that PE 0 has set, or got by a test, or one that nobody has. */
#include <shmem.h>
#include <string.h>

static long lock;

int main(int count, char** words) {
  const char* const what = count == 2 ? words[1] : "";
  shmem_init();
  if (shmem_my_pe() == 0 && strcmp(what, "set") == 0) shmem_set_lock(&lock);
  if (shmem_my_pe() == 0 && strcmp(what, "tested") == 0) (void)shmem_test_lock(&lock);
  shmem_barrier_all();
  if (shmem_my_pe() == 1) shmem_clear_lock(&lock);
  shmem_barrier_all(); /* PE 0 waits here, and has not cleared its lock */
  shmem_finalize();
  return 0;
}
