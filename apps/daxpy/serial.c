/* SPDX-License-Identifier: Apache-2.0 */

/* DAXPY in one thread: `daxpy_serial --n N`, to compare with. */
#include "apps/common/plain_app.h"
#include "apps/daxpy/daxpy.h"

int main(int argc, char** argv) {
  AppOption options[] = {DAXPY_OPTIONS};
  int status;
  if (!app_start(argc, argv, DAXPY_PURPOSE "one thread.", options, &status)) return status;
  const uint64_t n = options[kDaxpyN].value, repeat = options[kDaxpyRepeat].value;
  double *const x = app_private(n * sizeof *x, "x"), *const y = app_private(n * sizeof *y, "y");
  daxpy_fill(x, y, 0, n);
  const double start = app_seconds();
  for (uint64_t i = 0; i < repeat; ++i) daxpy(DAXPY_FACTOR, x, y, n);
  const double seconds = app_seconds() - start, sum = daxpy_sum(y, n);
  const bool right = daxpy_wrong(y, 0, n, repeat) == 0 && sum == daxpy_expected_sum(n, repeat);
  free(x), free(y);
  return app_end(right, "%llu elements in one thread, %llu times in %.3f s, %.2f GB/s, sum %.0f", (unsigned long long)n,
                 (unsigned long long)repeat, seconds, daxpy_gb_per_s(n, repeat, seconds), sum);
}
