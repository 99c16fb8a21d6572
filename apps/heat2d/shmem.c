/* SPDX-License-Identifier: Apache-2.0 */

/* Heat in a plate by Jacobi's method, in OpenSHMEM: `heat2d_shmem --n N --iterations I`. */
#include "apps/heat2d/heat_rows.h"

int main(int argc, char** argv) {
  AppOption options[] = {HEAT2D_OPTIONS};
  int status;
  if (!app_start(argc, argv, HEAT2D_PURPOSE "blocks of rows on all PEs.", options, &status)) return status;
  const uint64_t n = options[kHeatN].value, iterations = options[kHeatIterations].value;
  const int pes = shmem_n_pes();
  if (n < (uint64_t)pes) return app_refuse("--n %llu: fewer rows than the %d PEs", (unsigned long long)n, pes);
  HeatRows rows = heat_rows(n);
  for (int i = 0; i < 2; ++i) heat_fill(rows.cells[i], n, rows.first - 1, rows.count + 2);
  const double seconds = heat_iterate(&rows, iterations);
  const double error = app_max(heat_error(rows.cells[iterations % 2], n, iterations, rows.first - 1, rows.count + 2));
  heat_rows_free(&rows);
  return app_end(error <= HEAT2D_TOLERANCE,
                 "%llu x %llu points on %s, %llu iterations in %.3f s, %.1f million updates/s, error %.1e",
                 (unsigned long long)n, (unsigned long long)n, app_pes(), (unsigned long long)iterations, seconds,
                 heat_updates_per_s(n, iterations, seconds) * 1e-6, error);
}
