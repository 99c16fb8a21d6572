/* SPDX-License-Identifier: Apache-2.0 */

/* DAXPY in OpenSHMEM: `daxpy_shmem --n N`. Each PE has its part of both vectors; a sum over all PEs at the end. */
#include "apps/common/shmem_app.h"
#include "apps/daxpy/daxpy.h"

int main(int argc, char** argv) {
  AppOption options[] = {DAXPY_OPTIONS};
  int status;
  if (!app_start(argc, argv, DAXPY_PURPOSE "vectors over all PEs.", options, &status)) return status;
  const uint64_t n = options[kDaxpyN].value, repeat = options[kDaxpyRepeat].value;
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  const uint64_t first = app_first(n, pes, me), count = app_first(n, pes, me + 1) - first;
  const uint64_t most = n / (uint64_t)pes + 1;
  double *const x = app_symmetric(most * sizeof *x, "x"), *const y = app_symmetric(most * sizeof *y, "y");
  daxpy_fill(x, y, first, count);
  const double start = app_now();
  for (uint64_t i = 0; i < repeat; ++i) daxpy(DAXPY_FACTOR, x, y, count);
  const double seconds = app_now() - start;
  const double sum = app_sum(daxpy_sum(y, count));
  const bool right = daxpy_wrong(y, first, count, repeat) == 0 && sum == daxpy_expected_sum(n, repeat);
  shmem_free(y);
  shmem_free(x);
  return app_end(right, "%llu elements on %s, %llu times in %.3f s, %.2f GB/s, sum %.0f", (unsigned long long)n,
                 app_pes(), (unsigned long long)repeat, seconds, daxpy_gb_per_s(n, repeat, seconds), sum);
}
