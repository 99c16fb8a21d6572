/* SPDX-License-Identifier: Apache-2.0 */

/* The four operators of MG on cubes of cells, or on slabs of them: residual, smoother, projection to the next coarser
 * grid and interpolation from it. No processes: what they read around the cells is there.
 *
 * A slab has `planes` planes of n x n cells and a margin of one cell on all sides. Its rows are n + 2 long. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct Slab {
  uint64_t n, planes;
  double* cells;
} Slab;

enum { kMgMostN = 1024 };

static inline uint64_t slab_cells(uint64_t n, uint64_t planes) { return (planes + 2) * (n + 2) * (n + 2); }
static inline double* row_of(const Slab* s, uint64_t plane, uint64_t row) {
  return s->cells + (plane * (s->n + 2) + row) * (s->n + 2);
}

/* Sums over neighbours in the plane that a row stands upright on: the four beside each cell, the four across from it.
 */
static inline void upright_sums(const Slab* s, uint64_t plane, uint64_t row, double* beside, double* across) {
  const double *const up = row_of(s, plane, row - 1), *const down = row_of(s, plane, row + 1);
  const double *const before = row_of(s, plane - 1, row), *const behind = row_of(s, plane + 1, row);
  const double *const up_before = row_of(s, plane - 1, row - 1), *const down_before = row_of(s, plane - 1, row + 1);
  const double *const up_behind = row_of(s, plane + 1, row - 1), *const down_behind = row_of(s, plane + 1, row + 1);
  for (uint64_t i = 0; i < s->n + 2; ++i) {
    beside[i] = up[i] + down[i] + before[i] + behind[i];
    across[i] = up_before[i] + down_before[i] + up_behind[i] + down_behind[i];
  }
}

/* r = v - A u. */
static inline void mg_residual(const Slab* u, const Slab* v, Slab* r) {
  double beside[kMgMostN + 2], across[kMgMostN + 2];
  for (uint64_t plane = 1; plane <= u->planes; ++plane)
    for (uint64_t row = 1; row <= u->n; ++row) {
      upright_sums(u, plane, row, beside, across);
      const double *const from = row_of(u, plane, row), *const right = row_of(v, plane, row);
      double* const to = row_of(r, plane, row);
      for (uint64_t i = 1; i <= u->n; ++i)
        to[i] = right[i] + 8.0 / 3 * from[i] - (across[i] + beside[i - 1] + beside[i + 1]) / 6 -
                (across[i - 1] + across[i + 1]) / 12;
    }
}

/* u += S r, with the coefficients of a cell itself, of its faces and of its edges. */
static inline void mg_smooth(const Slab* r, Slab* u, const double c[3]) {
  double beside[kMgMostN + 2], across[kMgMostN + 2];
  for (uint64_t plane = 1; plane <= u->planes; ++plane)
    for (uint64_t row = 1; row <= u->n; ++row) {
      upright_sums(r, plane, row, beside, across);
      const double* const from = row_of(r, plane, row);
      double* const to = row_of(u, plane, row);
      for (uint64_t i = 1; i <= u->n; ++i)
        to[i] += c[0] * from[i] + c[1] * (from[i - 1] + from[i + 1] + beside[i]) +
                 c[2] * (across[i] + beside[i - 1] + beside[i + 1]);
    }
}

/* A coarse cell has its centre in every second fine one. `first`: the plane of `coarse` where the slab of `fine`
 * begins. */
static inline void mg_project(const Slab* fine, Slab* coarse, uint64_t first) {
  double beside[kMgMostN + 2], across[kMgMostN + 2];
  for (uint64_t plane = 1; plane <= fine->planes / 2; ++plane)
    for (uint64_t row = 1; row <= coarse->n; ++row) {
      upright_sums(fine, 2 * plane, 2 * row, beside, across);
      const double* const from = row_of(fine, 2 * plane, 2 * row);
      double* const to = row_of(coarse, first + plane, row);
      for (uint64_t i = 1; i <= coarse->n; ++i)
        to[i] = 0.5 * from[2 * i] + 0.25 * (from[2 * i - 1] + from[2 * i + 1] + beside[2 * i]) +
                0.125 * (beside[2 * i - 1] + beside[2 * i + 1] + across[2 * i]) +
                0.0625 * (across[2 * i - 1] + across[2 * i + 1]);
    }
}

/* Adds half of `sum` at every second cell, and at those between a quarter of two neighbours together: `share` is what
 * one of the terms of `sum` counts. */
static inline void add_spread(const double* sum, double share, double* to, uint64_t coarse_n) {
  for (uint64_t i = 0; i <= coarse_n; ++i) {
    to[2 * i] += share * sum[i];
    to[2 * i + 1] += share / 2 * (sum[i] + sum[i + 1]);
  }
}

/* fine += the coarse cells, trilinear; the margin too. `first` as above. */
static inline void mg_interpolate(const Slab* coarse, Slab* fine, uint64_t first) {
  double rows[kMgMostN + 2], planes[kMgMostN + 2], all[kMgMostN + 2];
  for (uint64_t plane = 0; plane <= fine->planes / 2; ++plane)
    for (uint64_t row = 0; row <= coarse->n; ++row) {
      const double *const here = row_of(coarse, first + plane, row), *const below =
                                                                         row_of(coarse, first + plane, row + 1);
      const double* const behind = row_of(coarse, first + plane + 1, row);
      const double* const below_behind = row_of(coarse, first + plane + 1, row + 1);
      for (uint64_t i = 0; i < coarse->n + 2; ++i) {
        rows[i] = below[i] + here[i];
        planes[i] = behind[i] + here[i];
        all[i] = below_behind[i] + behind[i] + rows[i];
      }
      add_spread(here, 1, row_of(fine, 2 * plane, 2 * row), coarse->n);
      add_spread(rows, 0.5, row_of(fine, 2 * plane, 2 * row + 1), coarse->n);
      add_spread(planes, 0.5, row_of(fine, 2 * plane + 1, 2 * row), coarse->n);
      add_spread(all, 0.25, row_of(fine, 2 * plane + 1, 2 * row + 1), coarse->n);
    }
}

static inline void mg_clear(Slab* s) { memset(s->cells, 0, slab_cells(s->n, s->planes) * sizeof(double)); }

/* The margin within the planes: the cube has no border, what leaves it on one side comes in on the other. */
static inline void mg_close_planes(Slab* s) {
  const uint64_t n = s->n;
  for (uint64_t plane = 1; plane <= s->planes; ++plane) {
    for (uint64_t row = 1; row <= n; ++row) {
      double* const cells = row_of(s, plane, row);
      cells[0] = cells[n], cells[n + 1] = cells[1];
    }
    memcpy(row_of(s, plane, 0), row_of(s, plane, n), (n + 2) * sizeof(double));
    memcpy(row_of(s, plane, n + 1), row_of(s, plane, 1), (n + 2) * sizeof(double));
  }
}
