/* SPDX-License-Identifier: Apache-2.0 */

/* Heat in a plate by Jacobi's method in one thread: `heat2d_serial --n N --iterations I`, to compare with. */
#include "apps/common/plain_app.h"
#include "apps/heat2d/heat2d.h"

int main(int argc, char** argv) {
  AppOption options[] = {HEAT2D_OPTIONS};
  int status;
  if (!app_start(argc, argv, HEAT2D_PURPOSE "one thread.", options, &status)) return status;
  const uint64_t n = options[kHeatN].value, iterations = options[kHeatIterations].value;
  double* cells[2];
  for (int i = 0; i < 2; ++i) {
    cells[i] = app_private((n + 2) * (n + 2) * sizeof(double), "the plate");
    heat_fill(cells[i], n, 0, n + 2);
  }
  const double start = app_seconds();
  for (uint64_t i = 0; i < iterations; ++i) heat_sweep(cells[i % 2], cells[(i + 1) % 2], n, n);
  const double seconds = app_seconds() - start, error = heat_error(cells[iterations % 2], n, iterations, 0, n + 2);
  for (int i = 0; i < 2; ++i) free(cells[i]);
  return app_end(error <= HEAT2D_TOLERANCE,
                 "%llu x %llu points in one thread, %llu iterations in %.3f s, %.1f million updates/s, error %.1e",
                 (unsigned long long)n, (unsigned long long)n, (unsigned long long)iterations, seconds,
                 heat_updates_per_s(n, iterations, seconds) * 1e-6, error);
}
