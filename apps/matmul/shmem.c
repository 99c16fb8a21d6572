/* SPDX-License-Identifier: Apache-2.0 */

/* C = A B in OpenSHMEM: `matmul_shmem --n N`. Each PE has a block of rows of all three. The blocks of B go round: while
 * one is multiplied, the next is fetched from the PE that owns it, each PE beginning with its own.
 *
 * The elements of A and B are small whole numbers, so that C is exact. It is checked with a vector r of small whole
 * numbers, too: C r = A (B r). A wrong element of C goes unnoticed in a row only where others make up for it. */
#include "apps/common/shmem_app.h"

enum { kTile = 64 }; /* columns of A at a time: kTile rows of B stay in a cache */

typedef struct Problem {
  uint64_t n, first, rows; /* this PE's rows */
  int me, pes;
  double *a, *b, *c; /* b is symmetric */
} Problem;

static double element(uint64_t row, uint64_t column, uint64_t seed) {
  uint64_t x = (row * 0x9E3779B97F4A7C15u) ^ (column * 0xC2B2AE3D27D4EB4Fu) ^ seed;
  x ^= x >> 29, x *= 0xBF58476D1CE4E5B9u, x ^= x >> 32;
  return (double)(x % 9) - 4;
}

static void fill(const Problem* p) {
  for (uint64_t i = 0; i < p->rows; ++i)
    for (uint64_t j = 0; j < p->n; ++j) {
      p->a[i * p->n + j] = element(p->first + i, j, 1);
      p->b[i * p->n + j] = element(p->first + i, j, 2);
      p->c[i * p->n + j] = 0;
    }
}

/* c += a[, from `column` on] x b, which has `rows` rows. */
static void multiply(const Problem* p, const double* b, uint64_t column, uint64_t rows) {
  const uint64_t n = p->n;
  for (uint64_t tile = 0; tile < rows; tile += kTile) {
    const uint64_t end = tile + kTile < rows ? tile + kTile : rows;
    for (uint64_t i = 0; i < p->rows; ++i) {
      double* restrict const c = p->c + i * n;
      for (uint64_t k = tile; k < end; ++k) {
        const double a = p->a[i * n + column + k];
        const double* restrict const row = b + k * n;
        for (uint64_t j = 0; j < n; ++j) c[j] += a * row[j];
      }
    }
  }
}

static uint64_t rows_of(const Problem* p, int pe) {
  return app_first(p->n, p->pes, pe + 1) - app_first(p->n, p->pes, pe);
}

static void multiply_all(const Problem* p, double* const fetched[2]) {
  const double* b = p->b;
  for (int step = 0; step < p->pes; ++step) {
    const int owner = (p->me + step) % p->pes, next = (owner + 1) % p->pes;
    double* const into = fetched[step % 2];
    if (step + 1 < p->pes) shmem_getmem_nbi(into, p->b, rows_of(p, next) * p->n * sizeof(double), next);
    multiply(p, b, app_first(p->n, p->pes, owner), rows_of(p, owner));
    shmem_quiet();
    b = into;
  }
}

/* The product of some rows, from `rows` on, with a vector. */
static void times_vector(const double* rows, uint64_t count, uint64_t n, const double* vector, double* result) {
  for (uint64_t i = 0; i < count; ++i) {
    result[i] = 0;
    for (uint64_t j = 0; j < n; ++j) result[i] += rows[i * n + j] * vector[j];
  }
}

/* Collective. */
static bool is_right(const Problem* p) {
  const uint64_t n = p->n, most = (n / (uint64_t)p->pes + 1) * sizeof(double);
  double *const r = app_private(n * sizeof *r, "r"), *const b_r = app_private(n * sizeof *b_r, "B r");
  double* const part = app_symmetric(most, "a part of B r");
  double *const left = app_private(most, "C r"), *const right = app_private(most, "A (B r)");
  for (uint64_t j = 0; j < n; ++j) r[j] = element(j, 0, 3);
  times_vector(p->b, p->rows, n, r, part);
  shmem_barrier_all();
  for (int pe = 0; pe < p->pes; ++pe)
    shmem_getmem(b_r + app_first(n, p->pes, pe), part, rows_of(p, pe) * sizeof(double), pe);
  times_vector(p->c, p->rows, n, r, left);
  times_vector(p->a, p->rows, n, b_r, right);
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < p->rows; ++i) wrong += left[i] != right[i];
  if (wrong != 0)
    printf("PE %d: %llu of %llu rows are wrong\n", p->me, (unsigned long long)wrong, (unsigned long long)p->rows);
  shmem_barrier_all();
  shmem_free(part);
  free(r), free(b_r), free(left), free(right);
  return wrong == 0;
}

int main(int argc, char** argv) {
  AppOption options[] = {{"n", "rows and columns", 1000, 1, 100000, NULL}, {NULL, NULL, 0, 0, 0, NULL}};
  int status;
  if (!app_start(argc, argv, "C = A B, with blocks of rows on all PEs.", options, &status)) return status;
  Problem p = {options[0].value, 0, 0, shmem_my_pe(), shmem_n_pes(), NULL, NULL, NULL};
  p.first = app_first(p.n, p.pes, p.me), p.rows = rows_of(&p, p.me);
  const size_t bytes = (p.n / (uint64_t)p.pes + 1) * p.n * sizeof(double);
  p.a = app_private(bytes, "A"), p.c = app_private(bytes, "C"), p.b = app_symmetric(bytes, "B");
  double* const fetched[2] = {app_private(bytes, "a part of B"), app_private(bytes, "a part of B")};
  fill(&p);
  const double start = app_now();
  multiply_all(&p, fetched);
  const double seconds = app_now() - start, n = (double)p.n;
  const bool right = is_right(&p);
  shmem_free(p.b);
  free(p.a), free(p.c), free(fetched[0]), free(fetched[1]);
  return app_end(right, "%llu x %llu on %s in %.3f s, %.2f GFLOP/s", (unsigned long long)p.n, (unsigned long long)p.n,
                 app_pes(), seconds, 2 * n * n * n / seconds * 1e-9);
}
