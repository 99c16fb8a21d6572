/* SPDX-License-Identifier: Apache-2.0 */

/* The Cholesky factorisation of a matrix in tiles, in OCR: `cholesky_ocr --help` lists the options.
 *
 * Each tile of the lower triangle is a data block. For each column k of tiles: the diagonal tile is factored, the tiles
 * below it are solved for it, and all tiles to the right are updated with products of those. An EDT does one of these
 * for one tile and returns the tile; those that need it depend on its output event. The graph is made first, and then
 * the first tile is given.
 *
 * The result is checked with random vectors x: L (L^T x) against A x, whose elements are computed anew. */
#include <math.h>

#include "apps/common/ocr_app.h"

/* ---- Kernels, on tiles of b x b by rows ---- */

/* False: it is not positive definite. */
static bool factor(double *a, u64 b) {
  for (u64 j = 0; j < b; ++j) {
    double d = a[j * b + j];
    for (u64 k = 0; k < j; ++k) d -= a[j * b + k] * a[j * b + k];
    if (!(d > 0)) return false;
    a[j * b + j] = d = sqrt(d);
    for (u64 i = j + 1; i < b; ++i) {
      double sum = a[i * b + j];
      for (u64 k = 0; k < j; ++k) sum -= a[i * b + k] * a[j * b + k];
      a[i * b + j] = sum / d;
    }
    for (u64 i = 0; i < j; ++i) a[i * b + j] = 0;
  }
  return true;
}

static void transpose(double *to, const double *from, u64 b) {
  for (u64 i = 0; i < b; ++i)
    for (u64 j = 0; j < b; ++j) to[j * b + i] = from[i * b + j];
}

/* a = a * l^-T; `lt` is l^T. */
static void solve(double *restrict a, const double *restrict lt, u64 b) {
  for (u64 i = 0; i < b; ++i) {
    double *const row = a + i * b;
    for (u64 k = 0; k < b; ++k) {
      const double x = row[k] = row[k] / lt[k * b + k];
      for (u64 j = k + 1; j < b; ++j) row[j] -= x * lt[k * b + j];
    }
  }
}

/* c -= a * rt, four rows at a time; `rt` is the transpose of the right tile. */
static void update(double *restrict c, const double *restrict a, const double *restrict rt, u64 b) {
  u64 i = 0;
  for (; i + 4 <= b; i += 4) {
    double *const c0 = c + i * b, *const c1 = c0 + b, *const c2 = c1 + b, *const c3 = c2 + b;
    for (u64 k = 0; k < b; ++k) {
      const double a0 = a[i * b + k], a1 = a[(i + 1) * b + k], a2 = a[(i + 2) * b + k], a3 = a[(i + 3) * b + k];
      const double *const r = rt + k * b;
      for (u64 j = 0; j < b; ++j) {
        c0[j] -= a0 * r[j];
        c1[j] -= a1 * r[j];
        c2[j] -= a2 * r[j];
        c3[j] -= a3 * r[j];
      }
    }
  }
  for (; i < b; ++i)
    for (u64 k = 0; k < b; ++k)
      for (u64 j = 0; j < b; ++j) c[i * b + j] -= a[i * b + k] * rt[k * b + j];
}

/* ---- The matrix: symmetric, random off the diagonal, which is so large that it is positive definite ---- */

static double element(u64 n, u64 i, u64 j) {
  if (i == j) return (double)n;
  const u64 low = i < j ? i : j, high = i < j ? j : i;
  u64 x = low * 0x9e3779b97f4a7c15 + high * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return (double)((x ^ x >> 31) >> 11) * 0x1p-53 * 2 - 1;
}

/* ---- EDTs ---- */

typedef struct Shape {
  u64 tiles, b; /* a side of the matrix, of a tile */
} Shape;

typedef struct Task {
  Shape shape;
  u64 row, col;
} Task;

/* The data blocks: the tiles of the lower triangle; for the check two sets of vectors, a block for each column of tiles
 * and for each row. */
typedef struct Plan {
  Shape shape;
  ocrGuid_t block[];
} Plan;

static u64 tile_number(u64 row, u64 col) { return row * (row + 1) / 2 + col; }
static u64 tile_count(u64 tiles) { return tiles * (tiles + 1) / 2; }
static ocrGuid_t tile_of(const Plan *p, u64 row, u64 col) { return p->block[tile_number(row, col)]; }
static ocrGuid_t middle_of(const Plan *p, u64 col) { return p->block[tile_count(p->shape.tiles) + col]; }
static ocrGuid_t product_of(const Plan *p, u64 row) {
  return p->block[tile_count(p->shape.tiles) + p->shape.tiles + row];
}
static u64 block_count(u64 tiles) { return tile_count(tiles) + 2 * tiles; }

/* Slot: the tile. */
static ocrGuid_t fill_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const Task *const t = (const Task *)paramv;
  const u64 b = t->shape.b;
  for (u64 i = 0; i < b; ++i)
    for (u64 j = 0; j < b; ++j)
      ((double *)depv[0].ptr)[i * b + j] = element(t->shape.tiles * b, t->row * b + i, t->col * b + j);
  return NULL_GUID;
}

/* Slot: the tile on the diagonal. */
static ocrGuid_t factor_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const Task *const t = (const Task *)paramv;
  if (!factor(depv[0].ptr, t->shape.b))
    app_fail(kAppWrong, "cholesky: tile %lu of the diagonal is not positive definite", (unsigned long)t->col);
  return depv[0].guid;
}

static double *make_transposed(const double *tile, u64 b) {
  double *const transposed = malloc(b * b * sizeof *transposed);
  if (transposed == NULL)
    app_fail(kAppWrong, "cholesky: not enough memory");
  else
    transpose(transposed, tile, b);
  return transposed;
}

/* Slots: the tile, the one on the diagonal above it. */
static ocrGuid_t solve_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const u64 b = ((const Task *)paramv)->shape.b;
  double *const transposed = make_transposed(depv[1].ptr, b);
  if (transposed != NULL) solve(depv[0].ptr, transposed, b);
  free(transposed);
  return depv[0].guid;
}

/* Slots: the tile, those of a column before in its row and in the row of its column's number. */
static ocrGuid_t update_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const u64 b = ((const Task *)paramv)->shape.b;
  double *const transposed = make_transposed(depv[2].ptr, b);
  if (transposed != NULL) update(depv[0].ptr, depv[1].ptr, transposed, b);
  free(transposed);
  return depv[0].guid;
}

/* ---- The graph ---- */

typedef struct Graph {
  Shape shape;
  ocrGuid_t factor, solve, update; /* templates */
  ocrGuid_t *last;                 /* for each tile: the output event of the EDT that changes it last so far */
} Graph;

/* An EDT that changes a tile; its inputs besides it, NULL_GUID: there are no more. It becomes the last one of the tile.
 */
static void add_task(Graph *g, ocrGuid_t edt_template, u64 row, u64 col, ocrGuid_t left, ocrGuid_t right) {
  Task task = {g->shape, row, col};
  ocrGuid_t *const last = &g->last[tile_number(row, col)];
  ocrGuid_t edt, done;
  if (!app_ok(ocrEdtCreate(&edt, edt_template, EDT_PARAM_DEF, (u64 *)&task, EDT_PARAM_DEF, NULL, EDT_PROP_NONE,
                           NULL_HINT, &done),
              "ocrEdtCreate"))
    return;
  if (!ocrGuidIsNull(left)) ocrAddDependence(left, edt, 1, DB_MODE_RO);
  if (!ocrGuidIsNull(right)) ocrAddDependence(right, edt, 2, DB_MODE_RO);
  ocrAddDependence(*last, edt, 0, DB_MODE_RW);
  *last = done;
}

static ocrGuid_t last_of(const Graph *g, u64 row, u64 col) { return g->last[tile_number(row, col)]; }

/* What depends on an output event is linked before the event can fire: all depends on the first tile, which comes
 * last. */
static void make_graph(Graph *g) {
  const u64 tiles = g->shape.tiles;
  for (u64 k = 0; k < tiles; ++k) {
    add_task(g, g->factor, k, k, NULL_GUID, NULL_GUID);
    for (u64 i = k + 1; i < tiles; ++i) add_task(g, g->solve, i, k, last_of(g, k, k), NULL_GUID);
    for (u64 i = k + 1; i < tiles; ++i)
      for (u64 j = k + 1; j <= i; ++j) add_task(g, g->update, i, j, last_of(g, i, k), last_of(g, j, k));
  }
}

/* A finish EDT. Slot: the plan, whose tiles are filled. */
static ocrGuid_t factor_all_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const Plan *const p = depv[0].ptr;
  const u64 count = tile_count(p->shape.tiles);
  ocrGuid_t gate;
  Graph g;
  g.shape = p->shape;
  g.last = malloc(count * sizeof *g.last);
  if (g.last == NULL) {
    app_fail(kAppWrong, "cholesky: not enough memory");
    return NULL_GUID;
  }
  ocrEventCreate(&gate, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
  for (u64 i = 0; i < count; ++i) g.last[i] = i == 0 ? gate : p->block[i];
  ocrEdtTemplateCreate(&g.factor, factor_edt, APP_WORDS(Task), 1);
  ocrEdtTemplateCreate(&g.solve, solve_edt, APP_WORDS(Task), 2);
  ocrEdtTemplateCreate(&g.update, update_edt, APP_WORDS(Task), 3);
  make_graph(&g);
  ocrEventSatisfy(gate, p->block[0]);
  ocrEdtTemplateDestroy(g.factor);
  ocrEdtTemplateDestroy(g.solve);
  ocrEdtTemplateDestroy(g.update);
  free(g.last);
  return NULL_GUID;
}

/* ---- The check: middle = L^T x and then product = L middle, tile by tile ---- */

enum { kVectors = 3 };

static double x_at(const Shape *s, u64 vector, u64 i) { return element(0, s->tiles * s->b + vector, i); }

/* Slots: the tile, a part of `middle`. */
static ocrGuid_t multiply_x_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const Task *const t = (const Task *)paramv;
  const double *const tile = depv[0].ptr;
  const u64 b = t->shape.b;
  for (u64 vector = 0; vector < kVectors; ++vector) {
    double *const middle = (double *)depv[1].ptr + vector * b;
    for (u64 i = 0; i < b; ++i) {
      const double x = x_at(&t->shape, vector, t->row * b + i);
      for (u64 j = 0; j < b; ++j) middle[j] += tile[i * b + j] * x;
    }
  }
  return NULL_GUID;
}

/* Slots: the tile, a part of `product`, one of `middle`. */
static ocrGuid_t multiply_middle_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const double *const tile = depv[0].ptr;
  const u64 b = ((const Task *)paramv)->shape.b;
  for (u64 vector = 0; vector < kVectors; ++vector) {
    double *const product = (double *)depv[1].ptr + vector * b;
    const double *const middle = (const double *)depv[2].ptr + vector * b;
    for (u64 i = 0; i < b; ++i)
      for (u64 j = 0; j < b; ++j) product[i] += tile[i * b + j] * middle[j];
  }
  return NULL_GUID;
}

/* A finish EDT. Parameters: whether it is the second product. Slots: the plan; the first is done. */
static ocrGuid_t multiply_all_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const Plan *const p = depv[0].ptr;
  const bool second = paramv[0] != 0;
  ocrGuid_t multiply;
  if (second) /* the name of an EDT is how its function is written here */
    ocrEdtTemplateCreate(&multiply, multiply_middle_edt, APP_WORDS(Task), 3);
  else
    ocrEdtTemplateCreate(&multiply, multiply_x_edt, APP_WORDS(Task), 2);
  for (u64 row = 0; row < p->shape.tiles; ++row) {
    for (u64 col = 0; col <= row; ++col) {
      Task task = {p->shape, row, col};
      ocrGuid_t edt;
      if (!app_ok(ocrEdtCreate(&edt, multiply, EDT_PARAM_DEF, (u64 *)&task, EDT_PARAM_DEF, NULL, EDT_PROP_NONE,
                               NULL_HINT, NULL),
                  "ocrEdtCreate"))
        return NULL_GUID;
      if (second) ocrAddDependence(middle_of(p, col), edt, 2, DB_MODE_RO);
      ocrAddDependence(second ? product_of(p, row) : middle_of(p, col), edt, 1, DB_MODE_EW);
      ocrAddDependence(tile_of(p, row, col), edt, 0, DB_MODE_RO);
    }
  }
  ocrEdtTemplateDestroy(multiply);
  return NULL_GUID;
}

/* The greatest difference to A x in a row of tiles, in units of what rounding explains; negative: not enough memory. */
static double error_of(const Shape *s, u64 row, const double *product) {
  const u64 n = s->tiles * s->b;
  double *const x = malloc(kVectors * n * sizeof *x);
  if (x == NULL) return -1;
  double worst = 0;
  for (u64 i = 0; i < kVectors * n; ++i) x[i] = x_at(s, i / n, i % n);
  for (u64 i = 0; i < s->b; ++i) {
    double sum[kVectors] = {0}, size[kVectors] = {0};
    for (u64 j = 0; j < n; ++j) {
      const double a = element(n, row * s->b + i, j);
      for (u64 vector = 0; vector < kVectors; ++vector) {
        const double term = a * x[vector * n + j];
        sum[vector] += term;
        size[vector] += fabs(term);
      }
    }
    for (u64 vector = 0; vector < kVectors; ++vector) {
      const double error = fabs(sum[vector] - product[vector * s->b + i]) / (size[vector] * 0x1p-53 * (double)n);
      worst = error >= 0 ? fmax(worst, error) : INFINITY;
    }
  }
  free(x);
  return worst;
}

static ocrGuid_t compare_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  AppVerdict *const v = depv[1].ptr;
  const double error = error_of(&((const Plan *)depv[0].ptr)->shape, paramv[0], depv[2].ptr);
  v->right[paramv[0]] = error >= 0 && error < 10;
  app_errors(v)[paramv[0]] = error;
  return NULL_GUID;
}

/* Slots: the plan, the verdict; both products are there. */
static ocrGuid_t compare_all_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const Plan *const p = depv[0].ptr;
  ocrGuid_t compare;
  ocrEdtTemplateCreate(&compare, compare_edt, 1, 3);
  for (u64 row = 0; row < p->shape.tiles; ++row) app_compare(compare, row, depv, product_of(p, row));
  ocrEdtTemplateDestroy(compare);
  return NULL_GUID;
}

/* A finish EDT. Slots: the plan, the verdict; all is factored. */
static ocrGuid_t check_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  AppVerdict *const v = depv[1].ptr;
  v->seconds = app_seconds() - v->seconds;
  ocrGuid_t multiply, compare, products[2], comparing, done[2];
  ocrEdtTemplateCreate(&multiply, multiply_all_edt, 1, 2);
  ocrEdtTemplateCreate(&compare, compare_all_edt, 0, 3);
  ocrEdtCreate(&comparing, compare, 0, NULL, 3, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  for (u64 i = 0; i < 2; ++i)
    ocrEdtCreate(&products[i], multiply, 1, &i, 2, NULL, EDT_PROP_FINISH, NULL_HINT, &done[i]);
  ocrAddDependence(done[1], comparing, 2, DB_MODE_NULL);
  ocrAddDependence(depv[1].guid, comparing, 1, DB_MODE_RW);
  ocrAddDependence(depv[0].guid, comparing, 0, DB_MODE_RO);
  ocrAddDependence(done[0], products[1], 1, DB_MODE_NULL);
  ocrAddDependence(depv[0].guid, products[1], 0, DB_MODE_RO);
  ocrAddDependence(NULL_GUID, products[0], 1, DB_MODE_NULL);
  ocrAddDependence(depv[0].guid, products[0], 0, DB_MODE_RO);
  ocrEdtTemplateDestroy(multiply);
  ocrEdtTemplateDestroy(compare);
  return NULL_GUID;
}

/* Slots: the plan, the verdict; all is checked. */
static ocrGuid_t end_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const Plan *const p = depv[0].ptr;
  AppVerdict *const v = depv[1].ptr;
  const double n = (double)(p->shape.tiles * p->shape.b);
  const bool right = app_all_right(v);
  const double *const errors = app_errors(v);
  double worst = errors[0];
  for (u64 i = 1; i < v->parts; ++i) worst = fmax(worst, errors[i]);
  ocrPrintf("%.0f x %.0f in tiles of %lu x %lu: %.3f s, %.2f GFLOP/s; error %.3g of what rounding explains: %s\n", n, n,
            (unsigned long)p->shape.b, (unsigned long)p->shape.b, v->seconds, n * n * n / 3 / v->seconds * 1e-9, worst,
            right ? "right" : "WRONG");
  for (u64 i = 0; i < block_count(p->shape.tiles); ++i) ocrDbDestroy(p->block[i]);
  ocrDbDestroy(depv[1].guid);
  ocrDbDestroy(depv[0].guid);
  app_end(right);
  return NULL_GUID;
}

/* ---- The start ---- */

/* A finish EDT. Slot: the plan. */
static ocrGuid_t fill_all_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const Plan *const p = depv[0].ptr;
  ocrGuid_t fill;
  ocrEdtTemplateCreate(&fill, fill_edt, APP_WORDS(Task), 1);
  for (u64 row = 0; row < p->shape.tiles; ++row) {
    for (u64 col = 0; col <= row; ++col) {
      Task task = {p->shape, row, col};
      ocrGuid_t edt, tile = tile_of(p, row, col);
      ocrEdtCreate(&edt, fill, EDT_PARAM_DEF, (u64 *)&task, EDT_PARAM_DEF, &tile, EDT_PROP_NONE, NULL_HINT, NULL);
    }
  }
  ocrEdtTemplateDestroy(fill);
  return NULL_GUID;
}

/* Slots: the plan, the verdict; all tiles are filled. The clock starts. */
static ocrGuid_t start_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  ((AppVerdict *)depv[1].ptr)->seconds = app_seconds();
  app_run_and_check(depv[0].guid, depv[1].guid, factor_all_edt, check_edt, 0, NULL, end_edt);
  return NULL_GUID;
}

/* The code of OCR. */
static u8 make_blocks(Plan *p) {
  const u64 tiles = p->shape.tiles, b = p->shape.b, bytes = kVectors * b * sizeof(double);
  void *data;
  u8 code = 0;
  for (u64 i = 0; i < tile_count(tiles) && code == 0; ++i)
    code = ocrDbCreate(&p->block[i], &data, b * b * sizeof(double), DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC);
  for (u64 i = tile_count(tiles); i < block_count(tiles) && code == 0; ++i) {
    code = ocrDbCreate(&p->block[i], &data, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    if (code != 0) break;
    memset(data, 0, bytes);
    code = ocrDbRelease(p->block[i]);
  }
  return code;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  AppOption options[] = {{"tiles", "on a side of the matrix", 16, 1, 500, NULL},
                         {"tile", "rows and columns of a tile", 64, 1, 4096, NULL},
                         {NULL, NULL, 0, 0, 0, NULL}};
  if (!app_options(depv, "The Cholesky factorisation of a matrix in tiles, in OCR.", options)) return NULL_GUID;
  const u64 tiles = options[0].value;
  ocrGuid_t plan, verdict, fill, filling, filled, starter, start;
  void *data;
  if (!app_ok(ocrDbCreate(&plan, &data, sizeof(Plan) + block_count(tiles) * sizeof(ocrGuid_t), DB_PROP_NONE, NULL_HINT,
                          NO_ALLOC),
              "ocrDbCreate") ||
      !app_ok(app_make_verdict(&verdict, tiles), "ocrDbCreate"))
    return NULL_GUID;
  Plan *const p = data;
  p->shape.tiles = tiles, p->shape.b = options[1].value;
  if (!app_ok(make_blocks(p), "making the blocks")) return NULL_GUID;
  ocrDbRelease(plan);
  ocrEdtTemplateCreate(&fill, fill_all_edt, 0, 1);
  ocrEdtTemplateCreate(&starter, start_edt, 0, 3);
  ocrEdtCreate(&start, starter, 0, NULL, 3, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrEdtCreate(&filling, fill, 0, NULL, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &filled);
  ocrAddDependence(filled, start, 2, DB_MODE_NULL);
  ocrAddDependence(verdict, start, 1, DB_MODE_RW);
  ocrAddDependence(plan, start, 0, DB_MODE_RO);
  ocrAddDependence(plan, filling, 0, DB_MODE_RO);
  ocrEdtTemplateDestroy(fill);
  ocrEdtTemplateDestroy(starter);
  return NULL_GUID;
}
