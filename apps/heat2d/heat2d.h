/* SPDX-License-Identifier: Apache-2.0 */

/* Heat in a square plate by Jacobi's method, with a start of which the result after any number of iterations is known:
 * what serial.c, shmem.c and weir.cpp have in common.
 *
 * The plate has n x n points inside of a border that does not change. Point (i, j) of all (n + 2)^2 lies at i h, j h
 * with h = 1 / (n + 1). It starts as x y, which the iteration leaves as it is, plus two standing waves sin(k pi x)
 * sin(l pi y), which it multiplies by (cos(k pi h) + cos(l pi h)) / 2 each time. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define HEAT2D_PURPOSE "Heat in a plate by Jacobi's method, over and over: "
#define HEAT2D_TOLERANCE 1e-10

enum { kHeatN, kHeatIterations };
#define HEAT2D_OPTIONS                                                                                                 \
  {"n", "rows and columns of points inside", 2000, 1, 100000, NULL},                                                   \
      {"iterations", "of the whole plate", 100, 0, 1000000, NULL}, {                                                   \
    NULL, NULL, 0, 0, 0, NULL                                                                                          \
  }

static const double kHeatWave[2][3] = {{1, 1, 1}, {3, 2, 0.5}}; /* k, l, how high */

/* Points in rows of n + 2, and one more row above and below those that are computed: `cells` points at the one above.
 */
static inline void heat_sweep(const double* from, double* to, uint64_t n, uint64_t rows) {
  const uint64_t width = n + 2;
  for (uint64_t i = 1; i <= rows; ++i) {
    const double* const row = from + i * width;
    double* const result = to + i * width;
    for (uint64_t j = 1; j <= n; ++j)
      result[j] = 0.25 * ((row[j - 1] + row[j + 1]) + (row[j - width] + row[j + width]));
  }
}

/* What the waves have become after so many iterations. */
typedef struct HeatWaves {
  double step, height[2];
} HeatWaves;

static inline HeatWaves heat_waves(uint64_t n, uint64_t iterations) {
  HeatWaves waves = {1 / (double)(n + 1), {0, 0}};
  for (int w = 0; w < 2; ++w) {
    const double each = (cos(kHeatWave[w][0] * M_PI * waves.step) + cos(kHeatWave[w][1] * M_PI * waves.step)) / 2;
    waves.height[w] = kHeatWave[w][2] * pow(each, (double)iterations);
  }
  return waves;
}

static inline double heat_at(const HeatWaves* waves, uint64_t row, uint64_t column) {
  const double x = (double)row * waves->step, y = (double)column * waves->step;
  double heat = x * y;
  for (int w = 0; w < 2; ++w)
    heat += waves->height[w] * sin(kHeatWave[w][0] * M_PI * x) * sin(kHeatWave[w][1] * M_PI * y);
  return heat;
}

/* All points of rows [first, first + count) of the plate, its border among them. */
static inline void heat_fill(double* cells, uint64_t n, uint64_t first, uint64_t count) {
  const HeatWaves waves = heat_waves(n, 0);
  for (uint64_t i = 0; i < count; ++i)
    for (uint64_t j = 0; j < n + 2; ++j) cells[i * (n + 2) + j] = heat_at(&waves, first + i, j);
}

/* How far these rows are from what they should be. */
static inline double heat_error(const double* cells, uint64_t n, uint64_t iterations, uint64_t first, uint64_t count) {
  const HeatWaves waves = heat_waves(n, iterations);
  double most = 0;
  for (uint64_t i = 0; i < count; ++i)
    for (uint64_t j = 0; j < n + 2; ++j) {
      const double error = fabs(cells[i * (n + 2) + j] - heat_at(&waves, first + i, j));
      if (!(error <= most)) most = error; /* also when it is no number */
    }
  return most;
}

static inline double heat_updates_per_s(uint64_t n, uint64_t iterations, double seconds) {
  return (double)n * (double)n * (double)iterations / seconds;
}
