/* SPDX-License-Identifier: Apache-2.0 */

/* High-bandwidth memory from C: what memkind's hbwmalloc.h offered. Exits with 0 on any machine. */
#include <hbwmalloc.h>
#include <stdio.h>

int main(void) {
  const size_t count = 1000000;
  double *x;

  printf("%s\n", hbw_check_available() == 0 ? "high-bandwidth memory" : "no high-bandwidth memory here");
  hbw_set_policy(HBW_POLICY_PREFERRED); /* once, before the first allocation */
  x = hbw_calloc(count, sizeof *x);
  if (x == NULL) {
    perror("hbw_calloc");
    return 1;
  }
  printf("%s\n", hbw_verify_memory_region(x, count * sizeof *x, 0) == 0 ? "all of x is in it" : "x is not in it");
  hbw_free(x);
  return 0;
}
