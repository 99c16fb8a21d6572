/* SPDX-License-Identifier: Apache-2.0 */

/* The transpose of the Parallel Research Kernels in OpenSHMEM: `transpose_shmem --n N`. B += A^T, then A += 1, over and
 * over. Each PE has a block of columns of both. It puts what belongs to another PE's columns of B, transposed, into a
 * buffer there, a flag behind it, and adds what has come from the others in the order in which it goes round.
 *
 * A starts with whole numbers, so that every element of B is known exactly. */
#include "apps/common/shmem_app.h"

enum { kTile = 32 };

typedef struct Matrices {
  uint64_t n, columns, first; /* of this PE */
  int me, pes;
  double *a, *b; /* columns one after the other */
  double* out;   /* for one other PE: its columns, cut to the rows that are ours here */
  double* in;    /* symmetric: such a block from each PE */
  long* arrived; /* symmetric: how often a block of each PE has come */
} Matrices;

static double at_first(const Matrices* m, uint64_t row, uint64_t column) { return (double)(m->n * column + row); }

static void fill(const Matrices* m) {
  for (uint64_t j = 0; j < m->columns; ++j)
    for (uint64_t i = 0; i < m->n; ++i) m->a[j * m->n + i] = at_first(m, i, m->first + j), m->b[j * m->n + i] = 0;
}

/* out[i][j] = A(first + i, j): `first` is the first column of the other PE. */
static void pack(const Matrices* m, uint64_t first) {
  const uint64_t w = m->columns;
  for (uint64_t ii = 0; ii < w; ii += kTile)
    for (uint64_t jj = 0; jj < w; jj += kTile)
      for (uint64_t i = ii; i < w && i < ii + kTile; ++i)
        for (uint64_t j = jj; j < w && j < jj + kTile; ++j) m->out[i * w + j] = m->a[j * m->n + first + i];
}

/* B(first + j, i) += block[i][j]: `first` is the first column of A that the other PE has. */
static void add(const Matrices* m, const double* block, uint64_t first) {
  const uint64_t w = m->columns;
  for (uint64_t i = 0; i < w; ++i)
    for (uint64_t j = 0; j < w; ++j) m->b[i * m->n + first + j] += block[i * w + j];
}

static void transpose(const Matrices* m, long round) {
  const uint64_t w = m->columns;
  for (int i = 0; i < m->pes; ++i) {
    const int to = (m->me + i) % m->pes;
    pack(m, (uint64_t)to * w);
    shmem_double_put(m->in + (uint64_t)m->me * w * w, m->out, w * w, to);
    shmem_fence();
    shmem_long_p(&m->arrived[m->me], round, to);
  }
  for (int i = 0; i < m->pes; ++i) {
    const int from = (m->me - i + m->pes) % m->pes;
    shmem_long_wait_until(&m->arrived[from], SHMEM_CMP_GE, round);
    add(m, m->in + (uint64_t)from * w * w, (uint64_t)from * w);
  }
  for (uint64_t i = 0; i < w * m->n; ++i) m->a[i] += 1;
  shmem_barrier_all(); /* before anyone puts into a buffer that has been read */
}

static bool is_right(const Matrices* m, uint64_t rounds) {
  const double times = (double)rounds, added = times * (times - 1) / 2;
  for (uint64_t j = 0; j < m->columns; ++j)
    for (uint64_t i = 0; i < m->n; ++i) {
      const double expected = times * at_first(m, m->first + j, i) + added, is = m->b[j * m->n + i];
      if (is == expected) continue;
      printf("PE %d: B(%llu, %llu) is %.17g, not %.17g\n", m->me, (unsigned long long)i,
             (unsigned long long)(m->first + j), is, expected);
      return false;
    }
  return true;
}

int main(int argc, char** argv) {
  AppOption options[] = {{"n", "rows and columns, a multiple of the number of PEs", 2048, 1, 100000, NULL},
                         {"iterations", "after the first, which is not measured", 10, 1, 100000, NULL},
                         {NULL, NULL, 0, 0, 0, NULL}};
  int status;
  if (!app_start(argc, argv, "The transpose of the Parallel Research Kernels.", options, &status)) return status;
  Matrices m = {options[0].value, 0, 0, shmem_my_pe(), shmem_n_pes(), NULL, NULL, NULL, NULL, NULL};
  if (m.n % (uint64_t)m.pes != 0)
    return app_refuse("--n %llu: it must be a multiple of the %s", (unsigned long long)m.n, app_pes());
  const uint64_t iterations = options[1].value;
  m.columns = m.n / (uint64_t)m.pes, m.first = m.columns * (uint64_t)m.me;
  const size_t bytes = m.columns * m.n * sizeof(double);
  m.a = app_private(bytes, "A"), m.b = app_private(bytes, "B"), m.out = app_private(bytes / (size_t)m.pes, "a block");
  m.in = app_symmetric(bytes, "blocks"), m.arrived = app_symmetric((size_t)m.pes * sizeof(long), "flags");
  memset(m.arrived, 0, (size_t)m.pes * sizeof(long));
  fill(&m);
  double start = app_now();
  for (uint64_t round = 0; round <= iterations; ++round) {
    if (round == 1) start = app_now();
    transpose(&m, (long)round + 1);
  }
  const double seconds = app_now() - start;
  const bool right = is_right(&m, iterations + 1);
  shmem_free(m.arrived), shmem_free(m.in);
  free(m.a), free(m.b), free(m.out);
  const double moved = 2.0 * 8 * (double)m.n * (double)m.n * (double)iterations; /* as the kernel counts it */
  return app_end(right, "%llu x %llu on %s, 1 + %llu iterations in %.3f s, %.1f MB/s", (unsigned long long)m.n,
                 (unsigned long long)m.n, app_pes(), (unsigned long long)iterations, seconds, moved / seconds * 1e-6);
}
