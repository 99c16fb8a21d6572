/* SPDX-License-Identifier: Apache-2.0 */

/* Calls a routine with an address that is not symmetric, from a function whose own name begins like a routine's. */
#include <shmem.h>
#include <string.h>

static int calls_done;

__attribute__((noinline)) void shmem_solver_iteration(const char* what) {
  void* const address = (void*)8;
  if (strcmp(what, "signal") == 0) shmem_signal_wait_until(address, SHMEM_CMP_EQ, 1);
  if (strcmp(what, "wait") == 0) (shmem_wait_until)(address, SHMEM_CMP_EQ, 1);
  if (strcmp(what, "wait_of_a_type") == 0) shmem_int_wait_until(address, SHMEM_CMP_EQ, 1);
  if (strcmp(what, "put") == 0) shmem_long_p(address, 1, 0);
  if (strcmp(what, "get") == 0) calls_done += (int)shmem_long_g(address, 0);
  if (strcmp(what, "get_of_a_context") == 0) shmem_ctx_getmem(SHMEM_CTX_DEFAULT, &calls_done, address, 1, 0);
  ++calls_done; /* no tail call: the function has a frame */
}

int main(int count, char** words) {
  shmem_init();
  if (count == 2) shmem_solver_iteration(words[1]);
  shmem_finalize();
  return 0;
}
