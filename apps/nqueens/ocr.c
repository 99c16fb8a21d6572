/* SPDX-License-Identifier: Apache-2.0 */

/* The number of ways to put n queens on a board of n x n so that none attacks another, in OCR: `nqueens_ocr --n N`.
 *
 * A place EDT has queens in the first rows of the board. In the upper rows it makes an EDT for each field that the next
 * row has left, and a sum EDT that depends on what they find; further down it counts by itself. A count is a data block
 * that is given to a slot of the sum above. */
#include "apps/common/ocr_app.h"

/* Who wants a count: an EDT that adds them up, and which slot of it. */
typedef struct Sum {
  ocrGuid_t edt;
  u64 slot;
} Sum;

typedef struct Place {
  ocrGuid_t place, add; /* templates */
  Sum sum;
  u64 n, row, serial_rows;  /* the last serial_rows rows are counted by one EDT */
  u64 columns, left, right; /* attacked in this row: along the column, from the left above, from the right above */
} Place;

typedef struct Add {
  Sum sum;
} Add;

static void give(Sum sum, u64 count) {
  ocrGuid_t block;
  void *data;
  if (!app_ok(ocrDbCreate(&block, &data, sizeof count, DB_PROP_NONE, NULL_HINT, NO_ALLOC), "ocrDbCreate")) return;
  *(u64 *)data = count;
  ocrDbRelease(block);
  ocrAddDependence(block, sum.edt, (u32)sum.slot, DB_MODE_RO);
}

static ocrGuid_t add_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc;
  u64 count = 0;
  for (u32 i = 0; i < depc; ++i) {
    count += *(const u64 *)depv[i].ptr;
    ocrDbDestroy(depv[i].guid);
  }
  give(((const Add *)paramv)->sum, count);
  return NULL_GUID;
}

static u64 count_from(u64 all, u64 columns, u64 left, u64 right) {
  if (columns == all) return 1;
  u64 count = 0;
  for (u64 free = all & ~(columns | left | right); free != 0; free &= free - 1) {
    const u64 queen = free & -free;
    count += count_from(all, columns | queen, (left | queen) << 1, (right | queen) >> 1);
  }
  return count;
}

static ocrGuid_t place_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc, (void)depv;
  const Place *const p = (const Place *)paramv;
  const u64 all = (1ULL << p->n) - 1, free = all & ~(p->columns | p->left | p->right);
  if (p->row + p->serial_rows >= p->n || free == 0) {
    give(p->sum, count_from(all, p->columns, p->left & all, p->right));
    return NULL_GUID;
  }
  Add add = {p->sum};
  Place next = *p;
  ++next.row;
  next.sum.slot = 0;
  if (!app_ok(ocrEdtCreate(&next.sum.edt, p->add, EDT_PARAM_DEF, (u64 *)&add, (u32)__builtin_popcountll(free), NULL,
                           EDT_PROP_NONE, NULL_HINT, NULL),
              "ocrEdtCreate"))
    return NULL_GUID;
  for (u64 left = free; left != 0; left &= left - 1) {
    const u64 queen = left & -left;
    next.columns = p->columns | queen;
    next.left = (p->left | queen) << 1;
    next.right = (p->right | queen) >> 1;
    ocrGuid_t edt;
    ocrEdtCreate(&edt, p->place, EDT_PARAM_DEF, (u64 *)&next, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
    ++next.sum.slot;
  }
  return NULL_GUID;
}

/* Parameters: n, the start in nanoseconds. Slot: the count. */
static ocrGuid_t check_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  static const u64 known[] = {
      1,   1,    0,     0,     2,      10,      4,        40,       92,       352,
      724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624}; /* OEIS A000170 */
  const u64 count = *(const u64 *)depv[0].ptr;
  const bool right = count == known[paramv[0]];
  ocrPrintf("%lu queens: %lu ways, in %.3f s: %s\n", (unsigned long)paramv[0], (unsigned long)count,
            app_seconds() - (double)paramv[1] * 1e-9, right ? "right" : "WRONG");
  ocrDbDestroy(depv[0].guid);
  app_end(right);
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  AppOption options[] = {{"n", "queens", 12, 1, 18, NULL},
                         {"serial-rows", "the rows at the bottom that one EDT does", 7, 0, 18, NULL},
                         {NULL, NULL, 0, 0, 0, NULL}};
  if (!app_options(depv, "Ways to put n queens on a board, in OCR.", options)) return NULL_GUID;
  Place first;
  memset(&first, 0, sizeof first);
  first.n = options[0].value;
  first.serial_rows = options[1].value;
  u64 params[] = {first.n, (u64)(app_seconds() * 1e9)};
  ocrGuid_t check, edt;
  ocrEdtTemplateCreate(&check, check_edt, 2, 1);
  ocrEdtTemplateCreate(&first.place, place_edt, APP_WORDS(Place), 0);
  ocrEdtTemplateCreate(&first.add, add_edt, APP_WORDS(Add), EDT_PARAM_UNK);
  ocrEdtCreate(&first.sum.edt, check, EDT_PARAM_DEF, params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrEdtCreate(&edt, first.place, EDT_PARAM_DEF, (u64 *)&first, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  return NULL_GUID;
}
