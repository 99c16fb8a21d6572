/* SPDX-License-Identifier: Apache-2.0 */

/* MG of the NAS Parallel Benchmarks in OpenSHMEM: `nas_mg_shmem --class S`. V-cycles of multigrid for Poisson's
 * equation in a cube without borders, whose right-hand side is +1 in ten cells, -1 in ten others, and 0 else.
 *
 * The PEs cut the cube in slabs. After each operator they exchange the planes at the borders: into a buffer at the
 * neighbour, a flag behind it, two buffers taking turns. Grids with less than two planes for each PE are whole on all,
 * and computed by all.
 *
 * The norm of the residual is checked against the published one to 1e-8. */
#include <math.h>

#include "apps/common/shmem_app.h"
#include "apps/nas/mg_kernels.h"
#include "apps/nas/random.h"

enum { kMostLevels = 10, kCharges = 10 };

typedef struct Class {
  int log2_n, iterations;
  double norm, smoother[3];
} Class;

#define SMALL_SMOOTHER                                                                                                 \
  { -3.0 / 8, 1.0 / 32, -1.0 / 64 }
#define LARGE_SMOOTHER                                                                                                 \
  { -3.0 / 17, 1.0 / 33, -1.0 / 61 }
static const char* const kNames[] = {"S", "W", "A", "B", "C", NULL};
static const Class kClasses[] = {{5, 4, 0.5307707005734e-04, SMALL_SMOOTHER},
                                 {7, 4, 0.6467329375339e-05, SMALL_SMOOTHER},
                                 {8, 4, 0.2433365309069e-05, SMALL_SMOOTHER},
                                 {8, 20, 0.1800564401355e-05, LARGE_SMOOTHER},
                                 {9, 20, 0.5706732285740e-06, LARGE_SMOOTHER}};

enum { kBefore, kBehind };

typedef struct Multigrid {
  Class class;
  int me, pes;
  Slab u[kMostLevels], r[kMostLevels], v; /* by log2 of n; v: the right-hand side of the finest */
  double* came[2][2];                     /* symmetric: planes of the neighbours before and behind */
  long* arrived;                          /* symmetric: how many of each */
  double* gathered;                       /* symmetric: the finest grid that is whole on all */
  long exchanges;
} Multigrid;

/* The finest level that is whole on all PEs; 0: none is. */
static int whole_level(const Multigrid* m) {
  int level = 0;
  while (m->pes > 1 && (1 << level) <= m->pes) ++level;
  return m->pes > 1 ? level - 1 : 0;
}

static uint64_t planes_at(const Multigrid* m, int level) {
  const uint64_t n = UINT64_C(1) << level;
  return level <= whole_level(m) ? n : n / (uint64_t)m->pes;
}

static void exchange_planes(Multigrid* m, Slab* s) {
  const uint64_t size = (s->n + 2) * (s->n + 2);
  const long now = ++m->exchanges;
  const int before = (m->me + m->pes - 1) % m->pes, behind = (m->me + 1) % m->pes;
  double* const* const came = m->came[now % 2];
  shmem_double_put(came[kBehind], row_of(s, 1, 0), size, before);
  shmem_double_put(came[kBefore], row_of(s, s->planes, 0), size, behind);
  shmem_fence();
  shmem_long_p(&m->arrived[kBehind], now, before);
  shmem_long_p(&m->arrived[kBefore], now, behind);
  shmem_long_wait_until(&m->arrived[kBefore], SHMEM_CMP_GE, now);
  memcpy(row_of(s, 0, 0), came[kBefore], size * sizeof(double));
  shmem_long_wait_until(&m->arrived[kBehind], SHMEM_CMP_GE, now);
  memcpy(row_of(s, s->planes + 1, 0), came[kBehind], size * sizeof(double));
}

/* The margin of a grid, after its cells have changed. */
static void close_grid(Multigrid* m, Slab* s) {
  mg_close_planes(s);
  if (s->planes == s->n) {
    memcpy(row_of(s, 0, 0), row_of(s, s->n, 0), (s->n + 2) * (s->n + 2) * sizeof(double));
    memcpy(row_of(s, s->n + 1, 0), row_of(s, 1, 0), (s->n + 2) * (s->n + 2) * sizeof(double));
  } else {
    exchange_planes(m, s);
  }
}

/* Every PE has computed its planes of a grid that is to be whole on all. Collective. */
static void gather(Multigrid* m, Slab* s, uint64_t first, uint64_t planes) {
  const uint64_t size = (s->n + 2) * (s->n + 2);
  shmem_barrier_all(); /* all have read what was there before */
  for (int i = 0; i < m->pes; ++i)
    shmem_double_put(m->gathered + first * size, row_of(s, first + 1, 0), planes * size, (m->me + i) % m->pes);
  shmem_barrier_all();
  memcpy(row_of(s, 1, 0), m->gathered, s->n * size * sizeof(double));
}

/* Where the slab of this level begins in the next coarser grid. */
static uint64_t first_below(const Multigrid* m, int level) {
  const bool split = m->r[level].planes < m->r[level].n;
  return split && level - 1 <= whole_level(m) ? (uint64_t)m->me * (m->r[level].planes / 2) : 0;
}

static void project(Multigrid* m, int level) {
  const uint64_t first = first_below(m, level);
  Slab* const coarse = &m->r[level - 1];
  mg_project(&m->r[level], coarse, first);
  if (level - 1 == whole_level(m)) gather(m, coarse, first, m->r[level].planes / 2);
  close_grid(m, coarse);
}

static void residual(Multigrid* m, int level, const Slab* right) {
  mg_residual(&m->u[level], right, &m->r[level]);
  close_grid(m, &m->r[level]);
}

static void smooth(Multigrid* m, int level) {
  mg_smooth(&m->r[level], &m->u[level], m->class.smoother);
  close_grid(m, &m->u[level]);
}

static void cycle(Multigrid* m) {
  const int top = m->class.log2_n;
  for (int level = top; level > 1; --level) project(m, level);
  mg_clear(&m->u[1]);
  smooth(m, 1);
  for (int level = 2; level <= top; ++level) {
    if (level < top) mg_clear(&m->u[level]);
    mg_interpolate(&m->u[level - 1], &m->u[level], first_below(m, level));
    residual(m, level, level < top ? &m->r[level] : &m->v);
    smooth(m, level);
  }
}

/* The numbers of the ten cells with the largest values, or the smallest, among so many from one PE. */
typedef struct Extremes {
  double sign; /* -1: the smallest are looked for */
  double value[kCharges];
  double* cell[kCharges];
} Extremes;

static void consider(Extremes* e, double value, double* cell) {
  value *= e->sign;
  if (value <= e->value[kCharges - 1]) return;
  int i = kCharges - 1;
  for (; i > 0 && e->value[i - 1] < value; --i) e->value[i] = e->value[i - 1], e->cell[i] = e->cell[i - 1];
  e->value[i] = value, e->cell[i] = cell;
}

/* The ten of all PEs get this charge. No two cells have the same number. Collective. */
static void charge(const Extremes* e, double charge) {
  for (int found = 0, own = 0; found < kCharges; ++found) {
    const double most = app_max(own < kCharges ? e->value[own] : -2);
    if (own < kCharges && e->value[own] == most) *e->cell[own++] = charge;
  }
}

/* The right-hand side: charges where random numbers are largest and smallest. Collective. */
static void set_charges(Multigrid* m) {
  Slab* const v = &m->v;
  Extremes largest, smallest;
  for (int i = 0; i < kCharges; ++i)
    largest.value[i] = smallest.value[i] = -2, largest.cell[i] = smallest.cell[i] = NULL;
  largest.sign = 1, smallest.sign = -1;
  uint64_t x = nas_times(314159265, nas_power(kNasFactor, (uint64_t)m->me * v->planes * v->n * v->n));
  for (uint64_t plane = 1; plane <= v->planes; ++plane)
    for (uint64_t row = 1; row <= v->n; ++row)
      for (uint64_t i = 1; i <= v->n; ++i) {
        const double value = nas_next(&x);
        consider(&largest, value, row_of(v, plane, row) + i);
        consider(&smallest, value, row_of(v, plane, row) + i);
      }
  mg_clear(v);
  charge(&largest, 1);
  charge(&smallest, -1);
  close_grid(m, v);
}

/* Collective. */
static double norm_of_residual(const Multigrid* m) {
  const Slab* const r = &m->r[m->class.log2_n];
  double sum = 0;
  for (uint64_t plane = 1; plane <= r->planes; ++plane)
    for (uint64_t row = 1; row <= r->n; ++row) {
      const double* const cells = row_of(r, plane, row);
      for (uint64_t i = 1; i <= r->n; ++i) sum += cells[i] * cells[i];
    }
  return sqrt(app_sum(sum) / ((double)r->n * (double)r->n * (double)r->n));
}

static Slab make_slab(uint64_t n, uint64_t planes) {
  Slab slab = {n, planes, app_private(slab_cells(n, planes) * sizeof(double), "a grid")};
  mg_clear(&slab);
  return slab;
}

/* Collective. */
static void allocate(Multigrid* m) {
  const int top = m->class.log2_n;
  for (int level = 1; level <= top; ++level) {
    m->u[level] = make_slab(UINT64_C(1) << level, planes_at(m, level));
    m->r[level] = make_slab(UINT64_C(1) << level, planes_at(m, level));
  }
  m->v = make_slab(UINT64_C(1) << top, planes_at(m, top));
  const size_t plane = (m->v.n + 2) * (m->v.n + 2) * sizeof(double);
  for (int i = 0; i < 4; ++i) m->came[i / 2][i % 2] = app_symmetric(plane, "planes of neighbours");
  m->arrived = app_symmetric(2 * sizeof(long), "flags");
  m->arrived[kBefore] = m->arrived[kBehind] = 0;
  m->gathered = app_symmetric(slab_cells(UINT64_C(1) << whole_level(m), UINT64_C(1) << whole_level(m)) * sizeof(double),
                              "a coarse grid");
  shmem_barrier_all();
}

/* Collective. */
static void release(Multigrid* m) {
  shmem_free(m->gathered), shmem_free(m->arrived);
  for (int i = 3; i >= 0; --i) shmem_free(m->came[i / 2][i % 2]);
  for (int level = 1; level <= m->class.log2_n; ++level) free(m->u[level].cells), free(m->r[level].cells);
  free(m->v.cells);
}

int main(int argc, char** argv) {
  AppOption options[] = {{"class", "size of the problem", 0, 0, 0, kNames}, {NULL, NULL, 0, 0, 0, NULL}};
  int status;
  if (!app_start(argc, argv, "NAS MG: Poisson's equation by multigrid.", options, &status)) return status;
  Multigrid m;
  memset(&m, 0, sizeof m);
  m.class = kClasses[options[0].value], m.me = shmem_my_pe(), m.pes = shmem_n_pes();
  const int n = 1 << m.class.log2_n;
  if ((m.pes & (m.pes - 1)) != 0 || n / m.pes < 2)
    return app_refuse("%s: class %s takes a power of two of them, at most %d", app_pes(), kNames[options[0].value],
                      n / 2);
  allocate(&m);
  set_charges(&m);
  residual(&m, m.class.log2_n, &m.v);
  const double start = app_now();
  for (int i = 0; i < m.class.iterations; ++i) {
    cycle(&m);
    residual(&m, m.class.log2_n, &m.v);
  }
  const double seconds = app_now() - start, norm = norm_of_residual(&m);
  release(&m);
  return app_end(fabs(norm - m.class.norm) <= 1e-8 * m.class.norm,
                 "MG class %s on %s: %d x %d x %d cells, %d cycles in %.3f s, %.2f Mop/s, residual %.13e",
                 kNames[options[0].value], app_pes(), n, n, n, m.class.iterations, seconds,
                 58.0 * n * n * n * m.class.iterations / seconds * 1e-6, norm);
}
