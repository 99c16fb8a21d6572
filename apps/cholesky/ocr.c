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

/* Number of the tile in the lower triangle. */
static u64 tile_number(u64 row, u64 col) { return row * (row + 1) / 2 + col; }
static u64 tile_count(u64 tiles) { return tiles * (tiles + 1) / 2; }

/* Slot: the tile. */
static ocrGuid_t fill_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const Task *const t = (const Task *)paramv;
  const u64 b = t->shape.b;
  for (u64 i = 0; i < b; ++i)
    for (u64 j = 0; j < b; ++j)
      ((double *)depv[0].ptr)[i * b + j] = element(t->shape.tiles * b, t->row * b + i, t->col * b + j);
  return depv[0].guid;
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

/* ---- The check ---- */

typedef struct Check {
  Shape shape;
  u64 start_ns;
} Check;

/* y = L (L^T x) */
static void multiply(const Shape *s, ocrEdtDep_t *tiles, const double *x, double *middle, double *y) {
  const u64 b = s->b, n = s->tiles * b;
  memset(middle, 0, n * sizeof *middle);
  memset(y, 0, n * sizeof *y);
  for (u64 i = 0; i < n; ++i)
    for (u64 j = 0; j <= i; ++j)
      middle[j] += ((double *)tiles[tile_number(i / b, j / b)].ptr)[i % b * b + j % b] * x[i];
  for (u64 i = 0; i < n; ++i)
    for (u64 j = 0; j <= i; ++j)
      y[i] += ((double *)tiles[tile_number(i / b, j / b)].ptr)[i % b * b + j % b] * middle[j];
}

/* The greatest difference in units of what rounding explains; negative: not enough memory. */
static double error_of(const Shape *s, ocrEdtDep_t *tiles) {
  const u64 n = s->tiles * s->b;
  double *const x = malloc(n * sizeof *x), *const middle = malloc(n * sizeof *x), *const y = malloc(n * sizeof *x);
  double worst = -1;
  for (int vector = 0; vector < 3 && x != NULL && middle != NULL && y != NULL; ++vector) {
    for (u64 i = 0; i < n; ++i) x[i] = element(0, n + (u64)vector, i);
    multiply(s, tiles, x, middle, y);
    for (u64 i = 0; i < n; ++i) {
      double sum = 0, size = 0;
      for (u64 j = 0; j < n; ++j) {
        const double term = element(n, i, j) * x[j];
        sum += term;
        size += fabs(term);
      }
      const double error = fabs(sum - y[i]) / (size * 0x1p-53 * (double)n);
      worst = error >= 0 ? fmax(worst, error) : INFINITY;
    }
  }
  free(x), free(middle), free(y);
  return worst;
}

/* Slots: the tiles. */
static ocrGuid_t check_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc;
  const Check *const c = (const Check *)paramv;
  const double seconds = app_seconds() - (double)c->start_ns * 1e-9, n = (double)(c->shape.tiles * c->shape.b);
  const double error = error_of(&c->shape, depv);
  const bool right = error >= 0 && error < 10;
  ocrPrintf("%.0f x %.0f in tiles of %lu x %lu: %.3f s, %.2f GFLOP/s; error %.3g of what rounding explains: %s\n", n, n,
            (unsigned long)c->shape.b, (unsigned long)c->shape.b, seconds, n * n * n / 3 / seconds * 1e-9, error,
            right ? "right" : "WRONG");
  for (u32 i = 0; i < depc; ++i) ocrDbDestroy(depv[i].guid);
  app_end(right);
  return NULL_GUID;
}

/* ---- The start ---- */

static void make_templates(Graph *g) {
  ocrEdtTemplateCreate(&g->factor, factor_edt, APP_WORDS(Task), 1);
  ocrEdtTemplateCreate(&g->solve, solve_edt, APP_WORDS(Task), 2);
  ocrEdtTemplateCreate(&g->update, update_edt, APP_WORDS(Task), 3);
}

static void destroy_templates(Graph *g) {
  ocrEdtTemplateDestroy(g->factor);
  ocrEdtTemplateDestroy(g->solve);
  ocrEdtTemplateDestroy(g->update);
}

/* Parameters: a Check without a time. Slots: the tiles, filled. The clock starts. */
static ocrGuid_t start_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc;
  Check params = *(const Check *)paramv;
  params.start_ns = (u64)(app_seconds() * 1e9);
  ocrGuid_t checker, check, gate;
  Graph g;
  g.shape = params.shape;
  g.last = malloc(depc * sizeof *g.last);
  if (g.last == NULL) {
    app_fail(kAppWrong, "cholesky: not enough memory");
    return NULL_GUID;
  }
  ocrEventCreate(&gate, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
  for (u32 i = 0; i < depc; ++i) g.last[i] = i == 0 ? gate : depv[i].guid;
  make_templates(&g);
  make_graph(&g);
  ocrEdtTemplateCreate(&checker, check_edt, APP_WORDS(Check), depc);
  ocrEdtCreate(&check, checker, EDT_PARAM_DEF, (u64 *)&params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  for (u32 i = 0; i < depc; ++i) ocrAddDependence(g.last[i], check, i, DB_MODE_RO);
  ocrEventSatisfy(gate, depv[0].guid);
  ocrEdtTemplateDestroy(checker);
  destroy_templates(&g);
  free(g.last);
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  AppOption options[] = {{"tiles", "on a side of the matrix", 16, 1, 500, NULL},
                         {"tile", "rows and columns of a tile", 64, 1, 4096, NULL},
                         {NULL, NULL, 0, 0, 0, NULL}};
  if (!app_options(depv, "The Cholesky factorisation of a matrix in tiles, in OCR.", options)) return NULL_GUID;
  Check params = {{options[0].value, options[1].value}, 0};
  const u64 tiles = params.shape.tiles, bytes = params.shape.b * params.shape.b * sizeof(double);
  ocrGuid_t fill, starter, start;
  ocrEdtTemplateCreate(&fill, fill_edt, APP_WORDS(Task), 1);
  ocrEdtTemplateCreate(&starter, start_edt, APP_WORDS(Check), (u32)tile_count(tiles));
  ocrEdtCreate(&start, starter, EDT_PARAM_DEF, (u64 *)&params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  for (u64 row = 0; row < tiles; ++row) {
    for (u64 col = 0; col <= row; ++col) {
      Task task = {params.shape, row, col};
      ocrGuid_t tile, edt, filled;
      void *none;
      if (!app_ok(ocrDbCreate(&tile, &none, bytes, DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC), "ocrDbCreate"))
        return NULL_GUID;
      ocrEdtCreate(&edt, fill, EDT_PARAM_DEF, (u64 *)&task, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, &filled);
      ocrAddDependence(filled, start, (u32)tile_number(row, col), DB_MODE_RO);
      ocrAddDependence(tile, edt, 0, DB_MODE_RW);
    }
  }
  ocrEdtTemplateDestroy(fill);
  ocrEdtTemplateDestroy(starter);
  return NULL_GUID;
}
