/* SPDX-License-Identifier: Apache-2.0 */

/* The stencil of the Parallel Research Kernels (Van der Wijngaart, Mattson 2014) in OCR: a star of `radius` in two
 * dimensions over in[i][j] = i + j, whose result after any number of iterations is known. `stencil2d_ocr --help` lists
 * the options.
 *
 * The grid is cut in blocks. In an iteration each adds the stencil of `in` to `out` and then 1 to `in`. An EDT does one
 * iteration of a block; it sends its outermost rows and columns to the four neighbours through channel events, as data
 * blocks that the receiver destroys, and makes the EDT of the next iteration, which depends on what these send. */
#include <math.h>

#include "apps/common/ocr_app.h"

enum Side { kUp, kDown, kLeft, kRight, kSides };
static const enum Side kOpposite[kSides] = {kDown, kUp, kRight, kLeft};

typedef struct Block {
  ocrGuid_t cells; /* data block: `in` with a border of `radius`, then `out` without */
  ocrGuid_t to[kSides];
} Block;

typedef struct Plan {
  u64 n, radius, iterations, across, down; /* blocks */
  ocrGuid_t step;
  Block block[];
} Plan;

typedef struct Step {
  u64 block, iteration;
} Step;

/* A block's place, and where its arrays are. */
typedef struct Piece {
  u64 row, col, rows, cols, stride;
  double *in; /* its first cell, within the border */
  double *out;
} Piece;

static u64 cut(u64 n, u64 parts, u64 part) { return part * n / parts; }

static Piece piece_of(const Plan *p, u64 block, double *cells) {
  const u64 y = block / p->across, x = block % p->across;
  Piece piece;
  piece.row = cut(p->n, p->down, y), piece.rows = cut(p->n, p->down, y + 1) - piece.row;
  piece.col = cut(p->n, p->across, x), piece.cols = cut(p->n, p->across, x + 1) - piece.col;
  piece.stride = piece.cols + 2 * p->radius;
  piece.in = cells == NULL ? NULL : cells + p->radius * piece.stride + p->radius;
  piece.out = cells == NULL ? NULL : cells + (piece.rows + 2 * p->radius) * piece.stride;
  return piece;
}

static u64 bytes_of(const Plan *p, u64 block) {
  const Piece piece = piece_of(p, block, NULL);
  return ((piece.rows + 2 * p->radius) * piece.stride + piece.rows * piece.cols) * sizeof(double);
}

/* The neighbour at that side, or NULL. */
static const Block *neighbour(const Plan *p, u64 block, enum Side side) {
  const u64 y = block / p->across, x = block % p->across;
  const Block *const own = &p->block[block];
  if (side == kUp) return y > 0 ? own - p->across : NULL;
  if (side == kDown) return y + 1 < p->down ? own + p->across : NULL;
  if (side == kLeft) return x > 0 ? own - 1 : NULL;
  return x + 1 < p->across ? own + 1 : NULL;
}

/* Cells along a side: the outermost own ones, or those of the border. */
typedef struct Strip {
  double *first;
  u64 rows, cols;
} Strip;

static Strip strip_at(const Plan *p, const Piece *piece, enum Side side, bool border) {
  const u64 radius = p->radius, shift = border ? radius : 0;
  Strip s = {piece->in, side < kLeft ? radius : piece->rows, side < kLeft ? piece->cols : radius};
  if (side == kUp) s.first -= shift * piece->stride;
  if (side == kDown) s.first += (piece->rows - radius + shift) * piece->stride;
  if (side == kLeft) s.first -= shift;
  if (side == kRight) s.first += piece->cols - radius + shift;
  return s;
}

static void send(ocrGuid_t channel, const Strip *s, u64 stride) {
  ocrGuid_t block;
  void *data;
  if (!app_ok(ocrDbCreate(&block, &data, s->rows * s->cols * sizeof(double), DB_PROP_NONE, NULL_HINT, NO_ALLOC),
              "ocrDbCreate"))
    return;
  for (u64 i = 0; i < s->rows; ++i)
    memcpy((double *)data + i * s->cols, s->first + i * stride, s->cols * sizeof(double));
  ocrDbRelease(block);
  app_ok(ocrEventSatisfy(channel, block), "ocrEventSatisfy");
}

/* Sends the outermost cells, releases the block, and makes the EDT that needs it and the cells of the neighbours. */
static void go_on(const Plan *p, ocrGuid_t plan, Step next, const Piece *piece) {
  const Block *const own = &p->block[next.block];
  for (int side = 0; side < kSides; ++side) {
    const Strip strip = strip_at(p, piece, (enum Side)side, false);
    if (neighbour(p, next.block, (enum Side)side) != NULL) send(own->to[side], &strip, piece->stride);
  }
  ocrDbRelease(own->cells);
  ocrGuid_t edt;
  if (!app_ok(
          ocrEdtCreate(&edt, p->step, EDT_PARAM_DEF, (u64 *)&next, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL),
          "ocrEdtCreate"))
    return;
  ocrAddDependence(own->cells, edt, 1, DB_MODE_RW);
  for (int side = 0; side < kSides; ++side) {
    const Block *const other = neighbour(p, next.block, (enum Side)side);
    ocrAddDependence(other == NULL ? NULL_GUID : other->to[kOpposite[side]], edt, 2 + (u32)side, DB_MODE_RO);
  }
  ocrAddDependence(plan, edt, 0, DB_MODE_RO);
}

static u64 most(u64 a, u64 b) { return a > b ? a : b; }
static u64 least(u64 a, u64 b) { return a < b ? a : b; }

/* Where all of the star is in the grid. */
static void add_stencil(const Plan *p, const Piece *b) {
  const u64 radius = p->radius, top = most(b->row, radius), bottom = least(b->row + b->rows, p->n - radius);
  const u64 left = most(b->col, radius), right = least(b->col + b->cols, p->n - radius);
  for (u64 y = top; y < bottom; ++y) {
    for (u64 x = left; x < right; ++x) {
      const double *const at = b->in + (y - b->row) * b->stride + (x - b->col);
      double sum = 0;
      for (u64 k = 1; k <= radius; ++k)
        sum += (at[k] - at[-(s64)k] + at[k * b->stride] - at[-(s64)(k * b->stride)]) / (double)(2 * k * radius);
      b->out[(y - b->row) * b->cols + (x - b->col)] += sum;
    }
  }
}

/* Slots: the plan, the block, what the neighbours have sent. */
static ocrGuid_t step_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const Plan *const p = depv[0].ptr;
  const Step step = *(const Step *)paramv;
  const Piece piece = piece_of(p, step.block, depv[1].ptr);
  for (int side = 0; side < kSides; ++side) {
    const double *const sent = depv[2 + side].ptr;
    if (sent == NULL) continue;
    const Strip s = strip_at(p, &piece, (enum Side)side, true);
    for (u64 i = 0; i < s.rows; ++i) memcpy(s.first + i * piece.stride, sent + i * s.cols, s.cols * sizeof(double));
    ocrDbDestroy(depv[2 + side].guid);
  }
  add_stencil(p, &piece);
  for (u64 y = 0; y < piece.rows; ++y)
    for (u64 x = 0; x < piece.cols; ++x) piece.in[y * piece.stride + x] += 1;
  if (step.iteration < p->iterations) {
    const Step next = {step.block, step.iteration + 1};
    go_on(p, depv[0].guid, next, &piece);
  }
  return NULL_GUID;
}

/* Parameters: the block. Slots: the plan, the block. */
static ocrGuid_t fill_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const Plan *const p = depv[0].ptr;
  memset(depv[1].ptr, 0, bytes_of(p, paramv[0]));
  const Piece piece = piece_of(p, paramv[0], depv[1].ptr);
  for (u64 y = 0; y < piece.rows; ++y)
    for (u64 x = 0; x < piece.cols; ++x)
      piece.in[y * piece.stride + x] = (double)(piece.row + y) + (double)(piece.col + x);
  const Step next = {paramv[0], 0};
  go_on(p, depv[0].guid, next, &piece);
  return NULL_GUID;
}

/* A finish EDT. Slot: the plan. */
static ocrGuid_t start_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const Plan *const p = depv[0].ptr;
  ocrGuid_t fill;
  ocrEdtTemplateCreate(&fill, fill_edt, 1, 2);
  for (u64 i = 0; i < p->across * p->down; ++i) {
    ocrGuid_t edt, slots[] = {depv[0].guid, p->block[i].cells};
    ocrEdtCreate(&edt, fill, EDT_PARAM_DEF, &i, EDT_PARAM_DEF, slots, EDT_PROP_NONE, NULL_HINT, NULL);
  }
  ocrEdtTemplateDestroy(fill);
  return NULL_GUID;
}

/* Each iteration adds the slopes of `in`, 1 and 1, to every cell that has a whole star; the others stay 0. */
static bool is_right(const Plan *p, u64 block, double *cells) {
  const double expected = 2.0 * (double)(p->iterations + 1);
  const Piece b = piece_of(p, block, cells);
  for (u64 y = 0; y < b.rows; ++y) {
    for (u64 x = 0; x < b.cols; ++x) {
      const u64 row = b.row + y, col = b.col + x;
      const bool whole = row >= p->radius && row + p->radius < p->n && col >= p->radius && col + p->radius < p->n;
      const double out = b.out[y * b.cols + x], wanted = whole ? expected : 0;
      const double in = b.in[y * b.stride + x], in_wanted = (double)(row + col + p->iterations + 1);
      if (fabs(out - wanted) <= 1e-8 * expected && in == in_wanted) continue;
      ocrPrintf("cell (%lu, %lu) has out %.17g, in %.17g, not %.17g, %.17g\n", (unsigned long)row, (unsigned long)col,
                out, in, wanted, in_wanted);
      return false;
    }
  }
  return true;
}

static ocrGuid_t compare_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  ((AppVerdict *)depv[1].ptr)->right[paramv[0]] = is_right(depv[0].ptr, paramv[0], depv[2].ptr);
  return NULL_GUID;
}

/* A finish EDT. Slots: the plan, the verdict; all is done. */
static ocrGuid_t check_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const Plan *const p = depv[0].ptr;
  AppVerdict *const v = depv[1].ptr;
  v->seconds = app_seconds() - v->seconds;
  ocrGuid_t compare;
  ocrEdtTemplateCreate(&compare, compare_edt, 1, 3);
  for (u64 i = 0; i < p->across * p->down; ++i) app_compare(compare, i, depv, p->block[i].cells);
  ocrEdtTemplateDestroy(compare);
  return NULL_GUID;
}

/* Slots: the plan, the verdict; all is checked. */
static ocrGuid_t end_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const Plan *const p = depv[0].ptr;
  const AppVerdict *const v = depv[1].ptr;
  const bool right = app_all_right(v);
  ocrPrintf("%lu x %lu cells in %lu x %lu blocks, radius %lu, %lu + 1 iterations in %.3f s: %s\n", (unsigned long)p->n,
            (unsigned long)p->n, (unsigned long)p->down, (unsigned long)p->across, (unsigned long)p->radius,
            (unsigned long)p->iterations, v->seconds, right ? "right" : "WRONG");
  for (u64 i = 0; i < p->across * p->down; ++i) {
    ocrDbDestroy(p->block[i].cells);
    for (int side = 0; side < kSides; ++side) ocrEventDestroy(p->block[i].to[side]);
  }
  ocrEdtTemplateDestroy(p->step);
  ocrDbDestroy(depv[0].guid);
  ocrDbDestroy(depv[1].guid);
  app_end(right);
  return NULL_GUID;
}

static u8 make_block(const Plan *p, u64 number, Block *block) {
  void *none;
  u8 code = ocrDbCreate(&block->cells, &none, bytes_of(p, number), DB_PROP_NO_ACQUIRE, NULL_HINT, NO_ALLOC);
  for (int side = 0; side < kSides && code == 0; ++side) {
    ocrEventParams_t params;
    params.EVENT_CHANNEL.maxGen = 2;
    params.EVENT_CHANNEL.nbSat = 1;
    params.EVENT_CHANNEL.nbDeps = 1;
    code = ocrEventCreateParams(&block->to[side], OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params);
  }
  return code;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  AppOption options[] = {{"n", "rows and columns", 2000, 1, 1000000, NULL},
                         {"down", "blocks one above the other", 8, 1, 10000, NULL},
                         {"across", "blocks side by side", 8, 1, 10000, NULL},
                         {"radius", "of the star", 2, 1, 1000, NULL},
                         {"iterations", "after the first", 20, 0, 1000000, NULL},
                         {NULL, NULL, 0, 0, 0, NULL}};
  if (!app_options(depv, "The stencil of the Parallel Research Kernels, in OCR.", options)) return NULL_GUID;
  const u64 n = options[0].value, down = options[1].value, across = options[2].value, radius = options[3].value;
  if (n / down < radius || n / across < radius || n < 2 * radius + 1) {
    app_fail(kAppUsage,
             "%lu x %lu cells in %lu x %lu blocks of less than the radius of %lu: fewer blocks, or more cells",
             (unsigned long)n, (unsigned long)n, (unsigned long)down, (unsigned long)across, (unsigned long)radius);
    return NULL_GUID;
  }
  ocrGuid_t plan, verdict;
  void *data;
  if (!app_ok(
          ocrDbCreate(&plan, &data, sizeof(Plan) + down * across * sizeof(Block), DB_PROP_NONE, NULL_HINT, NO_ALLOC),
          "ocrDbCreate") ||
      !app_ok(app_make_verdict(&verdict, down * across), "ocrDbCreate"))
    return NULL_GUID;
  Plan *const p = data;
  p->n = n, p->down = down, p->across = across, p->radius = radius, p->iterations = options[4].value;
  ocrEdtTemplateCreate(&p->step, step_edt, APP_WORDS(Step), 2 + kSides);
  for (u64 i = 0; i < down * across; ++i)
    if (!app_ok(make_block(p, i, &p->block[i]), "making a block")) return NULL_GUID;
  ocrDbRelease(plan);
  app_run_and_check(plan, verdict, start_edt, check_edt, 0, NULL, end_edt);
  return NULL_GUID;
}
