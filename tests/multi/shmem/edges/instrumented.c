// SPDX-License-Identifier: Apache-2.0

// Compiled with AddressSanitizer, and linked with a Weir that is not: between its variables is memory that memcpy() may
// not read there.
#include <shmem.h>
#include <stdio.h>

static char small[3] = "ab", other[5];
static long word = 4, zeros[3000];

int main(void) {
  shmem_init();
  const int next = (shmem_my_pe() + 1) % shmem_n_pes();
  const int is_kept = small[1] == 'b' && word == 4 && other[4] == 0 && zeros[2999] == 0;
  shmem_barrier_all();
  shmem_long_p(&zeros[2999], 7, next);
  shmem_putmem(other, small, sizeof small, next);
  shmem_barrier_all();
  const int has_come = zeros[2999] == 7 && other[0] == 'a';
  if (!is_kept || !has_come) fprintf(stderr, "instrumented: kept %d, come %d\n", is_kept, has_come);
  shmem_finalize();
  return is_kept && has_come ? 0 : 1;
}
