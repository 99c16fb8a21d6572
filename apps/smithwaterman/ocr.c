/* SPDX-License-Identifier: Apache-2.0 */

/* The Smith-Waterman score of two sequences (local alignment, linear gaps) in OCR: `smithwaterman_ocr --help` lists the
 * options. The score is compared with that of a plain loop on one thread.
 *
 * The table of scores is cut in tiles. The EDT of a tile depends on the last column of the tile to its left and on the
 * last row of the one above. Those come through labelled sticky events: who gives and who gets computes the label, and
 * whichever comes first creates the event. */
#include "apps/common/ocr_app.h"
#include "extensions/ocr-labeling.h"

enum { kMatch = 2, kMismatch = -1, kGap = -1, kLetters = 4 };

typedef struct Plan {
  u64 rows, cols, tile_rows, tile_cols, down, across, seed;
  ocrGuid_t labels;      /* of the edges: for each tile its last column, and its last row */
  ocrGuid_t tile, check; /* a template; an EDT */
  ocrGuid_t letters[];   /* data blocks: of each row of tiles, then of each column of them */
} Plan;

/* The last column or row of a tile; of a row, the score left of its first one; the best of all that it depends on. */
typedef struct Edge {
  s32 best, before, scores[];
} Edge;

typedef struct Tile {
  u64 row, col;
} Tile;

static u64 least(u64 a, u64 b) { return a < b ? a : b; }
static s32 greater(s32 a, s32 b) { return a > b ? a : b; }

static u64 rows_of(const Plan *p, u64 tile) { return least(p->tile_rows, p->rows - tile * p->tile_rows); }
static u64 cols_of(const Plan *p, u64 tile) { return least(p->tile_cols, p->cols - tile * p->tile_cols); }

/* ---- The sequences ---- */

static char letter(u64 random) { return "ACGT"[(random >> 32) % kLetters]; }

static u64 mixed(u64 x) { /* the finalizer of SplitMix64 */
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

static char row_letter(const Plan *p, u64 i) { return letter(mixed(p->seed << 32 ^ i)); }

/* The columns have the letters of the rows, shifted, with changes and gaps: there is something to align. */
typedef struct ColLetters {
  u64 random, from;
} ColLetters;

static ColLetters first_col_letters(const Plan *p) {
  const ColLetters first = {mixed(p->seed) | 1, p->rows / 7};
  return first;
}

static u64 next_random(u64 *state) { /* xorshift64* */
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545f4914f6cdd1d;
}

static void make_col_letters(const Plan *p, ColLetters *at, char *letters, u64 count) {
  for (u64 i = 0; i < count; ++i) {
    const u64 chance = (next_random(&at->random) >> 32) % 100;
    if (chance < 3) ++at->from;
    letters[i] = chance < 15 || at->from >= p->rows ? letter(next_random(&at->random)) : row_letter(p, at->from);
    at->from += chance < 97;
  }
}

/* ---- Tiles ---- */

static s32 score(s32 diagonal, s32 above, s32 left, bool same) {
  const s32 through = diagonal + (same ? kMatch : kMismatch);
  return greater(0, greater(through, greater(above, left) + kGap));
}

enum { kLastCol, kLastRow };

static ocrGuid_t edge_label(const Plan *p, u64 row, u64 col, u32 which) {
  ocrGuid_t event = NULL_GUID;
  app_ok(ocrGuidFromIndex(&event, p->labels, 2 * (row * p->across + col) + which), "ocrGuidFromIndex");
  return event;
}

/* The event of an edge, created unless the other side has. */
static ocrGuid_t edge_event(const Plan *p, u64 row, u64 col, u32 which) {
  ocrGuid_t event = edge_label(p, row, col, which);
  const u8 code = ocrEventCreate(&event, OCR_EVENT_STICKY_T, GUID_PROP_CHECK | EVT_PROP_TAKES_ARG);
  if (code != OCR_EGUIDEXISTS) app_ok(code, "ocrEventCreate");
  return event;
}

static Edge *make_edge(ocrGuid_t *block, u64 length) {
  void *data = NULL;
  app_ok(ocrDbCreate(block, &data, sizeof(Edge) + length * sizeof(s32), DB_PROP_NONE, NULL_HINT, NO_ALLOC),
         "ocrDbCreate");
  return data;
}

/* Fills in the tile, whose borders are given; in `above`, at the end, its last row. */
static s32 fill_tile(const char *a, u64 rows, const char *b, u64 cols, s32 corner, const s32 *left, s32 *above,
                     s32 *last_col) {
  s32 best = 0;
  for (u64 y = 0; y < rows; ++y) {
    s32 diagonal = corner, before = left == NULL ? 0 : left[y];
    corner = before;
    for (u64 x = 0; x < cols; ++x) {
      const s32 here = score(diagonal, above[x], before, a[y] == b[x]);
      diagonal = above[x];
      above[x] = before = here;
      best = greater(best, here);
    }
    last_col[y] = before;
  }
  return best;
}

/* Slots: the plan, the last column of the tile to the left, the last row of the one above; NULL_GUID at the borders;
 * the letters of its rows and of its columns. */
static ocrGuid_t tile_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const Plan *const p = depv[0].ptr;
  const Tile *const t = (const Tile *)paramv;
  const Edge *const left = depv[1].ptr, *const above = depv[2].ptr;
  const u64 rows = rows_of(p, t->row), cols = cols_of(p, t->col);
  ocrGuid_t last_col_block, last_row_block;
  Edge *const last_col = make_edge(&last_col_block, rows), *const last_row = make_edge(&last_row_block, cols);
  if (last_col == NULL || last_row == NULL) return NULL_GUID;
  for (u64 x = 0; x < cols; ++x) last_row->scores[x] = above == NULL ? 0 : above->scores[x];
  const s32 corner = above == NULL ? 0 : above->before; /* the one above has it from its left */
  last_col->before = 0;
  last_row->before = left == NULL ? 0 : left->scores[rows - 1];
  s32 best = fill_tile(depv[3].ptr, rows, depv[4].ptr, cols, corner, left == NULL ? NULL : left->scores,
                       last_row->scores, last_col->scores);
  for (u32 slot = 1; slot < 3; ++slot) {
    if (depv[slot].ptr == NULL) continue;
    best = greater(best, ((const Edge *)depv[slot].ptr)->best);
    ocrDbDestroy(depv[slot].guid);
  }
  if (left != NULL) ocrEventDestroy(edge_label(p, t->row, t->col - 1, kLastCol));
  if (above != NULL) ocrEventDestroy(edge_label(p, t->row - 1, t->col, kLastRow));
  last_col->best = last_row->best = best;
  const bool last = t->row + 1 == p->down && t->col + 1 == p->across;
  ocrDbRelease(last_col_block);
  ocrDbRelease(last_row_block);
  if (t->col + 1 < p->across)
    app_ok(ocrEventSatisfy(edge_event(p, t->row, t->col, kLastCol), last_col_block), "ocrEventSatisfy");
  else
    ocrDbDestroy(last_col_block);
  if (last)
    ocrAddDependence(last_row_block, p->check, 1, DB_MODE_RO);
  else if (t->row + 1 < p->down)
    app_ok(ocrEventSatisfy(edge_event(p, t->row, t->col, kLastRow), last_row_block), "ocrEventSatisfy");
  else
    ocrDbDestroy(last_row_block);
  return NULL_GUID;
}

/* Makes the EDTs of a row of tiles. Parameters: the row. Slot: the plan. */
static ocrGuid_t row_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const Plan *const p = depv[0].ptr;
  for (u64 col = 0; col < p->across; ++col) {
    Tile tile = {paramv[0], col};
    ocrGuid_t edt, slots[5] = {depv[0].guid, NULL_GUID, NULL_GUID, UNINITIALIZED_GUID, UNINITIALIZED_GUID};
    if (col > 0) slots[1] = edge_event(p, tile.row, col - 1, kLastCol);
    if (tile.row > 0) slots[2] = edge_event(p, tile.row - 1, col, kLastRow);
    app_ok(
        ocrEdtCreate(&edt, p->tile, EDT_PARAM_DEF, (u64 *)&tile, EDT_PARAM_DEF, slots, EDT_PROP_NONE, NULL_HINT, NULL),
        "ocrEdtCreate");
    ocrAddDependence(p->letters[tile.row], edt, 3, DB_MODE_RO);
    ocrAddDependence(p->letters[p->down + col], edt, 4, DB_MODE_RO);
  }
  return NULL_GUID;
}

/* ---- The check ---- */

/* `scores`: zeros, in the end the last row. */
static s32 plain_score(const Plan *p, s32 *scores, const char *b) {
  s32 best = 0;
  for (u64 y = 0; y < p->rows; ++y) {
    const char a = row_letter(p, y);
    s32 diagonal = 0, left = 0;
    for (u64 x = 0; x < p->cols; ++x) {
      const s32 above = scores[x];
      left = scores[x] = score(diagonal, above, left, a == b[x]);
      diagonal = above;
      best = greater(best, left);
    }
  }
  return best;
}

/* Parameters: the start in nanoseconds. Slots: the plan, the last row of the last tile. */
static ocrGuid_t check_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const double seconds = app_seconds() - (double)paramv[0] * 1e-9;
  const Plan *const p = depv[0].ptr;
  const Edge *const last = depv[1].ptr;
  const s32 best = last->best;
  const u64 first = (p->across - 1) * p->tile_cols; /* of the last tile's columns */
  s32 *const scores = calloc(p->cols, sizeof *scores);
  char *const letters = malloc(p->cols);
  bool right = scores != NULL && letters != NULL;
  if (right) {
    ColLetters begin = first_col_letters(p);
    make_col_letters(p, &begin, letters, p->cols);
    right = plain_score(p, scores, letters) == best &&
            memcmp(scores + first, last->scores, (p->cols - first) * sizeof *scores) == 0;
  } else {
    fprintf(stderr, "smithwaterman: not enough memory to check the result\n");
  }
  free(scores), free(letters);
  ocrPrintf("%lu x %lu letters in %lu x %lu tiles: score %d in %.3f s, %.1f million cells a second: %s\n",
            (unsigned long)p->rows, (unsigned long)p->cols, (unsigned long)p->down, (unsigned long)p->across, best,
            seconds, (double)(p->rows * p->cols) / seconds * 1e-6, right ? "right" : "WRONG");
  ocrDbDestroy(depv[1].guid);
  for (u64 i = 0; i < p->down + p->across; ++i) ocrDbDestroy(p->letters[i]);
  ocrGuidRangeDestroy(p->labels);
  ocrEdtTemplateDestroy(p->tile);
  ocrDbDestroy(depv[0].guid);
  app_end(right);
  return NULL_GUID;
}

/* A block at a time is held. The code of OCR. */
static u8 make_letters(Plan *p) {
  ColLetters at = first_col_letters(p);
  u8 code = 0;
  for (u64 i = 0; i < p->down + p->across && code == 0; ++i) {
    const u64 count = i < p->down ? rows_of(p, i) : cols_of(p, i - p->down);
    void *data;
    code = ocrDbCreate(&p->letters[i], &data, count, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
    if (code != 0) break;
    if (i < p->down)
      for (u64 k = 0; k < count; ++k) ((char *)data)[k] = row_letter(p, i * p->tile_rows + k);
    else
      make_col_letters(p, &at, data, count);
    code = ocrDbRelease(p->letters[i]);
  }
  return code;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  AppOption options[] = {{"rows", "letters of the first sequence", 5000, 1, 100000000, NULL},
                         {"cols", "letters of the second", 5000, 1, 100000000, NULL},
                         {"tile", "rows and columns of a tile", 250, 1, 100000, NULL},
                         {"seed", "of the sequences", 1, 0, 1000000000, NULL},
                         {NULL, NULL, 0, 0, 0, NULL}};
  if (!app_options(depv, "The Smith-Waterman score of two sequences, in OCR.", options)) return NULL_GUID;
  const u64 rows = options[0].value, cols = options[1].value, tile = options[2].value;
  const u64 down = (rows + tile - 1) / tile, across = (cols + tile - 1) / tile;
  ocrGuid_t plan, row, checker;
  void *data;
  if (!app_ok(ocrDbCreate(&plan, &data, sizeof(Plan) + (down + across) * sizeof(ocrGuid_t), DB_PROP_NONE, NULL_HINT,
                          NO_ALLOC),
              "ocrDbCreate"))
    return NULL_GUID;
  Plan *const p = data;
  p->rows = rows, p->cols = cols, p->tile_rows = p->tile_cols = tile, p->down = down, p->across = across;
  p->seed = options[3].value;
  if (!app_ok(make_letters(p), "making the letters")) return NULL_GUID;
  if (!app_ok(ocrGuidRangeCreate(&p->labels, 2 * down * across, GUID_USER_EVENT_STICKY), "ocrGuidRangeCreate"))
    return NULL_GUID;
  ocrEdtTemplateCreate(&p->tile, tile_edt, APP_WORDS(Tile), 5);
  ocrEdtTemplateCreate(&row, row_edt, 1, 1);
  ocrEdtTemplateCreate(&checker, check_edt, 1, 2);
  u64 start_ns = (u64)(app_seconds() * 1e9);
  ocrEdtCreate(&p->check, checker, EDT_PARAM_DEF, &start_ns, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  const ocrGuid_t check = p->check;
  ocrDbRelease(plan);
  ocrAddDependence(plan, check, 0, DB_MODE_RO);
  for (u64 i = 0; i < down; ++i) {
    ocrGuid_t edt;
    ocrEdtCreate(&edt, row, EDT_PARAM_DEF, &i, EDT_PARAM_DEF, &plan, EDT_PROP_NONE, NULL_HINT, NULL);
  }
  return NULL_GUID;
}
