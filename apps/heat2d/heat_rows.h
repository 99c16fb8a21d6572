/* SPDX-License-Identifier: Apache-2.0 */

/* A plate over all PEs in OpenSHMEM: each has a block of rows, in two copies that take turns, and the rows of its
 * neighbours that border on it. There is no barrier: who has put its rows into the neighbours' copies tells them so,
 * and waits until both have told it. That also says that they have read what was there before the last time. */
#pragma once

#include "apps/common/shmem_app.h"
#include "apps/heat2d/heat2d.h"

enum { kHeatFromAbove, kHeatFromBelow };

typedef struct HeatRows {
  double* cells[2]; /* symmetric */
  long* arrived;    /* symmetric: how many exchanges the neighbour above and that below have told of */
  uint64_t n;
  uint64_t first, count;  /* rows of the plate that are computed here */
  int above, below;       /* PEs, or -1 */
  uint64_t rows_of_above; /* how many it computes */
  long exchanges;
} HeatRows;

/* Collective. The cells are for the caller to fill, both copies, from row `first` - 1 on. */
static inline HeatRows heat_rows(uint64_t n) {
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  HeatRows rows;
  rows.n = n;
  rows.first = 1 + app_first(n, pes, me);
  rows.count = 1 + app_first(n, pes, me + 1) - rows.first;
  rows.above = me > 0 ? me - 1 : -1;
  rows.below = me + 1 < pes ? me + 1 : -1;
  rows.rows_of_above = me > 0 ? app_first(n, pes, me) - app_first(n, pes, me - 1) : 0;
  rows.exchanges = 0;
  const size_t most = (n / (uint64_t)pes + 3) * (n + 2) * sizeof(double);
  for (int i = 0; i < 2; ++i) rows.cells[i] = app_symmetric(most, "the plate");
  rows.arrived = app_symmetric(2 * sizeof(long), "flags");
  rows.arrived[kHeatFromAbove] = rows.arrived[kHeatFromBelow] = 0;
  shmem_barrier_all();
  return rows;
}

/* Collective. */
static inline void heat_rows_free(HeatRows* rows) {
  shmem_free(rows->arrived);
  for (int i = 1; i >= 0; --i) shmem_free(rows->cells[i]);
}

/* The rows at the borders of copy `which` go to the neighbours, and theirs come. */
static inline void heat_exchange(HeatRows* rows, int which) {
  double* const cells = rows->cells[which];
  const uint64_t width = rows->n + 2;
  if (rows->above >= 0) shmem_double_put(cells + (rows->rows_of_above + 1) * width, cells + width, width, rows->above);
  if (rows->below >= 0) shmem_double_put(cells, cells + rows->count * width, width, rows->below);
  shmem_fence();
  const long now = ++rows->exchanges;
  if (rows->above >= 0) shmem_long_p(&rows->arrived[kHeatFromBelow], now, rows->above);
  if (rows->below >= 0) shmem_long_p(&rows->arrived[kHeatFromAbove], now, rows->below);
  if (rows->above >= 0) shmem_long_wait_until(&rows->arrived[kHeatFromAbove], SHMEM_CMP_GE, now);
  if (rows->below >= 0) shmem_long_wait_until(&rows->arrived[kHeatFromBelow], SHMEM_CMP_GE, now);
}

/* `iterations` of all rows, the first of which reads copy 0. The seconds that it took. Collective. */
static inline double heat_iterate(HeatRows* rows, uint64_t iterations) {
  const double start = app_now();
  for (uint64_t i = 0; i < iterations; ++i) {
    const int to = (int)((i + 1) % 2);
    heat_sweep(rows->cells[1 - to], rows->cells[to], rows->n, rows->count);
    heat_exchange(rows, to);
  }
  return app_now() - start;
}
