/* SPDX-License-Identifier: Apache-2.0 */

/* The stencil of the Parallel Research Kernels in OpenSHMEM: `stencil2d_shmem --n N --radius R`. out += a star of in,
 * then in += 1, over and over. The PEs lie in a rectangle, as square as their number lets it be, and have a block of
 * cells each, with a margin for what borders on it.
 *
 * What goes to a neighbour is packed and put into a buffer there, a flag behind it. Two buffers take turns, so that
 * nobody overwrites what has not been read: the neighbour sends only after it has read what came before. */
#include <math.h>

#include "apps/common/shmem_app.h"

enum Side { kUp, kDown, kLeft, kRight, kSides };
static const enum Side kOpposite[kSides] = {kDown, kUp, kRight, kLeft};

typedef struct Grid {
  uint64_t n, radius, row, col, rows, cols, stride; /* of this PE's block */
  int neighbour[kSides];                            /* -1: none */
  double *in, *out;                                 /* `in` with its margin; points at the first cell of the block */
  double* margin;                                   /* all of `in` */
  double* packed;
  double* came[2][kSides]; /* symmetric buffers */
  long* arrived;           /* symmetric: how often something has come from each side */
} Grid;

/* The cells that go to a side, or the margin there. */
typedef struct Strip {
  double* first;
  uint64_t rows, cols;
} Strip;

static Strip strip_at(const Grid* g, enum Side side, bool margin) {
  const uint64_t r = g->radius;
  switch (side) {
    case kUp: return (Strip){g->in - (margin ? r * g->stride : 0), r, g->cols};
    case kDown: return (Strip){g->in + (g->rows - (margin ? 0 : r)) * g->stride, r, g->cols};
    case kLeft: return (Strip){g->in - (margin ? r : 0), g->rows, r};
    default: return (Strip){g->in + g->cols - (margin ? 0 : r), g->rows, r};
  }
}

static void send(const Grid* g, enum Side side, long round) {
  const Strip s = strip_at(g, side, false);
  for (uint64_t i = 0; i < s.rows; ++i)
    memcpy(g->packed + i * s.cols, s.first + i * g->stride, s.cols * sizeof(double));
  const enum Side there = kOpposite[side];
  shmem_double_put(g->came[round % 2][there], g->packed, s.rows * s.cols, g->neighbour[side]);
  shmem_fence();
  shmem_long_p(&g->arrived[there], round, g->neighbour[side]);
}

static void receive(const Grid* g, enum Side side, long round) {
  const Strip s = strip_at(g, side, true);
  shmem_long_wait_until(&g->arrived[side], SHMEM_CMP_GE, round);
  for (uint64_t i = 0; i < s.rows; ++i)
    memcpy(s.first + i * g->stride, g->came[round % 2][side] + i * s.cols, s.cols * sizeof(double));
}

static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* Where all of the star is in the grid. */
static void add_stencil(const Grid* g) {
  const uint64_t radius = g->radius, top = most(g->row, radius), bottom = least(g->row + g->rows, g->n - radius);
  const uint64_t left = most(g->col, radius), right = least(g->col + g->cols, g->n - radius);
  for (uint64_t y = top; y < bottom; ++y)
    for (uint64_t x = left; x < right; ++x) {
      const double* const at = g->in + (y - g->row) * g->stride + (x - g->col);
      double sum = 0;
      for (uint64_t k = 1; k <= radius; ++k)
        sum += (at[k] - *(at - k) + at[k * g->stride] - *(at - k * g->stride)) / (double)(2 * k * radius);
      g->out[(y - g->row) * g->cols + (x - g->col)] += sum;
    }
}

static void iterate(const Grid* g, long round) {
  for (int side = 0; side < kSides; ++side)
    if (g->neighbour[side] >= 0) send(g, (enum Side)side, round);
  for (int side = 0; side < kSides; ++side)
    if (g->neighbour[side] >= 0) receive(g, (enum Side)side, round);
  add_stencil(g);
  for (uint64_t y = 0; y < g->rows; ++y)
    for (uint64_t x = 0; x < g->cols; ++x) g->in[y * g->stride + x] += 1;
}

/* Each iteration adds the slopes of `in`, 1 and 1, to every cell that has a whole star; the others stay 0. */
static bool is_right(const Grid* g, uint64_t iterations) {
  const double expected = 2.0 * (double)iterations;
  for (uint64_t y = 0; y < g->rows; ++y)
    for (uint64_t x = 0; x < g->cols; ++x) {
      const uint64_t row = g->row + y, col = g->col + x;
      const bool whole = row >= g->radius && row + g->radius < g->n && col >= g->radius && col + g->radius < g->n;
      const double out = g->out[y * g->cols + x], wanted = whole ? expected : 0;
      const double in = g->in[y * g->stride + x], in_wanted = (double)(row + col + iterations);
      if (fabs(out - wanted) <= 1e-8 * expected && in == in_wanted) continue;
      printf("cell (%llu, %llu) has out %.17g, in %.17g, not %.17g, %.17g\n", (unsigned long long)row,
             (unsigned long long)col, out, in, wanted, in_wanted);
      return false;
    }
  return true;
}

/* This PE's place in the rectangle of PEs, row by row, and its block. */
static Grid place(uint64_t n, uint64_t radius, int down, int across) {
  const int me = shmem_my_pe(), y = me / across, x = me % across;
  Grid g;
  memset(&g, 0, sizeof g);
  g.n = n, g.radius = radius;
  g.row = app_first(n, down, y), g.rows = app_first(n, down, y + 1) - g.row;
  g.col = app_first(n, across, x), g.cols = app_first(n, across, x + 1) - g.col;
  g.stride = g.cols + 2 * radius;
  g.neighbour[kUp] = y > 0 ? me - across : -1, g.neighbour[kDown] = y + 1 < down ? me + across : -1;
  g.neighbour[kLeft] = x > 0 ? me - 1 : -1, g.neighbour[kRight] = x + 1 < across ? me + 1 : -1;
  return g;
}

/* Collective. */
static void allocate(Grid* g, int down, int across) {
  const uint64_t longest = most(g->n / (uint64_t)down, g->n / (uint64_t)across) + 1;
  const size_t bytes = longest * g->radius * sizeof(double);
  for (int i = 0; i < 2 * kSides; ++i) g->came[i / kSides][i % kSides] = app_symmetric(bytes, "a margin");
  g->arrived = app_symmetric(kSides * sizeof(long), "flags");
  for (int side = 0; side < kSides; ++side) g->arrived[side] = 0;
  g->packed = app_private(bytes, "a margin");
  g->margin = app_private((g->rows + 2 * g->radius) * g->stride * sizeof(double), "cells");
  g->in = g->margin + g->radius * g->stride + g->radius;
  g->out = app_private(g->rows * g->cols * sizeof(double), "sums");
  for (uint64_t y = 0; y < g->rows; ++y)
    for (uint64_t x = 0; x < g->cols; ++x) {
      g->in[y * g->stride + x] = (double)(g->row + y + g->col + x);
      g->out[y * g->cols + x] = 0;
    }
  shmem_barrier_all();
}

static void release(Grid* g) {
  shmem_free(g->arrived);
  for (int i = 2 * kSides - 1; i >= 0; --i) shmem_free(g->came[i / kSides][i % kSides]);
  free(g->packed), free(g->margin), free(g->out);
}

int main(int argc, char** argv) {
  AppOption options[] = {{"n", "rows and columns", 2000, 1, 1000000, NULL},
                         {"radius", "of the star", 2, 1, 1000, NULL},
                         {"iterations", "after the first, which is not measured", 20, 1, 1000000, NULL},
                         {NULL, NULL, 0, 0, 0, NULL}};
  int status;
  if (!app_start(argc, argv, "The stencil of the Parallel Research Kernels.", options, &status)) return status;
  const uint64_t n = options[0].value, radius = options[1].value, iterations = options[2].value;
  int down = 1;
  for (int i = 1; i * i <= shmem_n_pes(); ++i)
    if (shmem_n_pes() % i == 0) down = i;
  const int across = shmem_n_pes() / down;
  if (n / (uint64_t)across < radius || n < 2 * radius + 1)
    return app_refuse("--n %llu: blocks of less than the radius of %llu for %d x %d PEs; take more cells, or fewer PEs",
                      (unsigned long long)n, (unsigned long long)radius, down, across);
  Grid g = place(n, radius, down, across);
  allocate(&g, down, across);
  double start = app_now();
  for (uint64_t i = 0; i <= iterations; ++i) {
    if (i == 1) start = app_now();
    iterate(&g, (long)i + 1);
  }
  const double seconds = app_now() - start;
  const bool right = is_right(&g, iterations + 1);
  release(&g);
  const double updates = (double)(n - 2 * radius) * (double)(n - 2 * radius) * (double)iterations;
  const double flops = updates * (double)(8 * radius + 1); /* as the kernel counts them */
  return app_end(right, "%llu x %llu cells on %d x %d PEs, radius %llu, 1 + %llu iterations in %.3f s, %.1f MFLOP/s",
                 (unsigned long long)n, (unsigned long long)n, down, across, (unsigned long long)radius,
                 (unsigned long long)iterations, seconds, flops / seconds * 1e-6);
}
