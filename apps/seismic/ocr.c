/* SPDX-License-Identifier: Apache-2.0 */

/* Seismic in OCR: waves in layered ground, as the OCR variant of section 4.1 of the KNL paper (README.md, ocr_steps.h).
 * `seismic_ocr --help` lists its options. The result is compared bit for bit with plain loops on one thread. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "apps/common/ocr_app.h"
#include "apps/seismic/ocr_steps.h"
#include "extensions/ocr-affinity.h"

enum { kRows, kCols, kIterations, kBlocks, kTasks, kSteps, kDepth, kCheck };

static const char *const kStepChoices[] = {"phases", "sweeps", NULL};
static const char *const kNoYes[] = {"no", "yes", NULL};

static const double kFastest = 4500, kSlowest = 1500; /* m/s */

/* ---- The problem: ten layers that fold, each faster and denser than the one above ---- */

typedef struct Ground {
  double material, damping, inverse_density;
} Ground;

static Ground ground_at(const OcrSeismicShape *s, Index y, Index x) {
  const double fold = 0.05 * sin(6.0 * (double)x / (double)s->cols);
  const double depth = (double)y / (double)s->rows + fold;
  const double layer = fmin(9, fmax(0, floor(10 * depth)));
  const double velocity = kSlowest + (kFastest - kSlowest) * layer / 9, density = 310 * pow(velocity, 0.25);
  /* Stable: dt/dx times the greatest velocity, over neighbours of any density, is below 1/sqrt(2). */
  const double ratio = 0.6 / kFastest * pow(kSlowest / kFastest, 0.125);
  const Ground g = {density * velocity * velocity * ratio, x % 61 == 0 ? 0.999 : 1.0, ratio / density};
  return g;
}

static double *make_pulse(u64 iterations) {
  double *const pulse = malloc(iterations * sizeof *pulse);
  for (u64 k = 0; pulse != NULL && k < iterations; ++k) {
    const double a = 0.15 * ((double)k - 20);
    pulse[k] = (1 - 2 * a * a) * exp(-a * a);
  }
  return pulse;
}

/* ---- EDTs around the simulation ---- */

/* Parameters: the block. Slots: the plan, state, ground. */
static ocrGuid_t fill_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const OcrSeismicShape *const s = seismic_shape(depv[0].ptr);
  seismic_clear(s, depv[1].ptr, depv[2].ptr);
  const Index first = seismic_first_row(s, paramv[0]), end = seismic_end_row(s, paramv[0]);
  for (Index y = first; y < end; ++y) {
    const OcrSeismicRows rows = seismic_rows(s, depv[1].ptr, depv[2].ptr, y - first);
    for (Index x = 0; x < s->cols; ++x) {
      const Ground g = ground_at(s, y, x);
      rows.material[x] = g.material;
      rows.damping[x] = g.damping;
      rows.inverse_density[x] = g.inverse_density;
    }
  }
  return NULL_GUID;
}

/* A finish EDT: an EDT for each block, where that is. Slot: the plan. */
static ocrGuid_t fill_all_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const OcrSeismicShape *const s = seismic_shape(depv[0].ptr);
  const OcrSeismicBlock *const blocks = seismic_blocks(depv[0].ptr);
  ocrGuid_t fill;
  ocrEdtTemplateCreate(&fill, fill_edt, 1, 3);
  for (u64 i = 0; i < s->blocks; ++i) {
    ocrGuid_t edt, slots[] = {depv[0].guid, blocks[i].state, blocks[i].ground};
    ocrHint_t hint;
    ocrHintInit(&hint, OCR_HINT_EDT_T);
    ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(blocks[i].affinity));
    if (!app_ok(ocrEdtCreate(&edt, fill, EDT_PARAM_DEF, &i, EDT_PARAM_DEF, slots, EDT_PROP_NONE, &hint, NULL),
                "ocrEdtCreate"))
      break;
  }
  ocrEdtTemplateDestroy(fill);
  return NULL_GUID;
}

/* ---- The check: two plain loops over each row in each iteration, on one thread ----
 *
 * When row y begins, iteration k does row y - 1 - k: by then iteration k - 1 has done the row below, or that has begun,
 * and iteration k the row above, and neither more. So two rows more are kept than there are iterations, and row y is as
 * it is in the end when row y + iterations has begun. */

typedef struct Reference {
  Index kept; /* rows; row y is at y % kept */
  Index begun;
  double *v, *t_x, *t_y, *pulse;
  Ground *ground;
  double seconds;
} Reference;

static void free_reference(Reference *e) {
  if (e != NULL) free(e->v), free(e->t_x), free(e->t_y), free(e->pulse), free(e->ground);
  free(e);
}

/* NULL: there is not enough memory. */
static Reference *make_reference(const OcrSeismicShape *s) {
  Reference *const e = calloc(1, sizeof *e);
  if (e == NULL) return NULL;
  e->kept = s->iterations + 2 < (u64)s->rows ? (Index)s->iterations + 2 : s->rows;
  const u64 cells = (u64)(e->kept * s->cols);
  e->v = malloc(cells * sizeof(double)), e->t_x = malloc(cells * sizeof(double));
  e->t_y = malloc(cells * sizeof(double)), e->ground = malloc(cells * sizeof(Ground));
  e->pulse = make_pulse(s->iterations);
  if (e->v != NULL && e->t_x != NULL && e->t_y != NULL && e->ground != NULL && e->pulse != NULL) return e;
  free_reference(e);
  return NULL;
}

static Index at_row(const OcrSeismicShape *s, const Reference *e, Index y) { return y % e->kept * s->cols; }

static void iterate_row(const OcrSeismicShape *s, const Reference *e, Index y, u64 iteration) {
  const Index at = at_row(s, e, y);
  const double *const above = y > 0 ? e->t_y + at_row(s, e, y - 1) : NULL;
  const double *const below = y + 1 < s->rows ? e->v + at_row(s, e, y + 1) : NULL;
  const Ground *const ground = e->ground + at;
  double *const v = e->v + at, *const t_x = e->t_x + at, *const t_y = e->t_y + at;
  for (Index x = 0; x < s->cols; ++x) {
    t_x[x] += ground[x].material * ((x + 1 < s->cols ? v[x + 1] : 0) - v[x]);
    t_y[x] += ground[x].material * ((below != NULL ? below[x] : 0) - v[x]);
  }
  for (Index x = 0; x < s->cols; ++x) {
    const double dx = t_x[x] - (x > 0 ? t_x[x - 1] : 0), dy = t_y[x] - (above != NULL ? above[x] : 0);
    v[x] = ground[x].damping * (v[x] + ground[x].inverse_density * (dx + dy));
  }
  if (y == s->source_row) v[s->source_col] += e->pulse[iteration];
}

/* Begins with a row, or, beyond the last, goes on with those before. */
static void begin_row(const OcrSeismicShape *s, Reference *e) {
  const Index y = e->begun++;
  if (y < s->rows) {
    const Index at = at_row(s, e, y);
    for (Index x = 0; x < s->cols; ++x) {
      e->v[at + x] = e->t_x[at + x] = e->t_y[at + x] = 0;
      e->ground[at + x] = ground_at(s, y, x);
    }
  }
  for (u64 k = 0; k < s->iterations && (Index)k < y; ++k)
    if (y - 1 - (Index)k < s->rows) iterate_row(s, e, y - 1 - (Index)k, k);
}

/* The row as it is in the end; asked for in turn. Its place in the arrays. */
static Index finished_row(const OcrSeismicShape *s, Reference *e, Index y) {
  const double begin = app_seconds();
  while (e->begun <= y + (Index)s->iterations) begin_row(s, e);
  e->seconds += app_seconds() - begin;
  return at_row(s, e, y);
}

/* Says which cell of the row is the first that differs. */
static bool is_right_row(const OcrSeismicShape *s, Index y, const OcrSeismicRows *rows, const Reference *e, Index at) {
  const u64 bytes = (u64)s->cols * sizeof(double);
  if (memcmp(rows->velocity, e->v + at, bytes) == 0 && memcmp(rows->stress_x, e->t_x + at, bytes) == 0 &&
      memcmp(rows->stress_y, e->t_y + at, bytes) == 0)
    return true;
  for (Index x = 0; x < s->cols; ++x) {
    if (memcmp(rows->velocity + x, e->v + at + x, 8) == 0 && memcmp(rows->stress_x + x, e->t_x + at + x, 8) == 0 &&
        memcmp(rows->stress_y + x, e->t_y + at + x, 8) == 0)
      continue;
    ocrPrintf("WRONG: cell (%ld, %ld) has V %.17g, S %.17g, T %.17g, not %.17g, %.17g, %.17g\n", (long)y, (long)x,
              rows->velocity[x], rows->stress_x[x], rows->stress_y[x], e->v[at + x], e->t_x[at + x], e->t_y[at + x]);
    break;
  }
  return false;
}

/* Of the first row that is wrong in a block it says so. All rows are looked at: the blocks after it need them. */
static bool is_right(const OcrSeismicShape *s, u64 block, void *state, Reference *e) {
  bool right = true;
  for (Index y = seismic_first_row(s, block); y < seismic_end_row(s, block); ++y) {
    const OcrSeismicRows rows = seismic_rows(s, state, NULL, y - seismic_first_row(s, block));
    const Index at = finished_row(s, e, y);
    right = right && is_right_row(s, y, &rows, e, at);
  }
  return right;
}

static ocrGuid_t compare_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const OcrSeismicShape *const s = seismic_shape(depv[0].ptr);
  AppVerdict *const v = depv[1].ptr;
  v->right[paramv[0]] = is_right(s, paramv[0], depv[2].ptr, v->expected);
  const u64 next = paramv[0] + 1;
  if (next < s->blocks) app_compare_next(compare_edt, next, depv, seismic_blocks(depv[0].ptr)[next].state);
  return NULL_GUID;
}

/* A finish EDT. Parameters: whether to check. Slots: the plan, the verdict; all is done. */
static ocrGuid_t check_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  AppVerdict *const v = depv[1].ptr;
  v->seconds = app_seconds() - v->seconds;
  const OcrSeismicShape *const s = seismic_shape(depv[0].ptr);
  ocrPrintf("%ld x %ld cells, %lu blocks of %ld rows, %lu iterations in %lu steps of %s, %s instructions\n",
            (long)s->rows, (long)s->cols, (unsigned long)s->blocks, (long)s->block_rows, (unsigned long)s->iterations,
            (unsigned long)s->steps, kStepChoices[s->sweeps], seismic_kernels_name((unsigned)s->kernels));
  ocrPrintf("%.6f s an iteration\n", v->seconds / (double)s->iterations);
  if (!paramv[0]) {
    v->parts = 0;
    return NULL_GUID;
  }
  v->expected = make_reference(s);
  if (v->expected == NULL)
    fprintf(stderr, "seismic: not enough memory to check the result; --check no leaves that out\n");
  else
    app_compare_next(compare_edt, 0, depv, seismic_blocks(depv[0].ptr)[0].state);
  return NULL_GUID;
}

/* Slots: the plan, the verdict; all is checked. */
static ocrGuid_t end_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const OcrSeismicPlan *const plan = depv[0].ptr;
  const AppVerdict *const v = depv[1].ptr;
  const OcrSeismicShape *const s = seismic_shape(plan);
  Reference *const e = v->expected;
  const bool right = app_all_right(v);
  if (right && e != NULL)
    ocrPrintf(
        "right: all bits of V, S and T are those of plain loops on one thread, which took %.6f s an iteration\n",
        e->seconds / (double)s->iterations);
  free_reference(e);
  seismic_destroy_blocks(s, seismic_blocks(plan));
  seismic_destroy_plan(depv[0].guid, plan);
  ocrDbDestroy(depv[1].guid);
  app_end(right);
  return NULL_GUID;
}

/* Parameters: whether to check. Slots: the plan, the verdict; all blocks are filled. The clock starts. */
static ocrGuid_t start_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  ((AppVerdict *)depv[1].ptr)->seconds = app_seconds();
  app_run_and_check(depv[0].guid, depv[1].guid, seismic_simulate, check_edt, 1, paramv, end_edt);
  return NULL_GUID;
}

/* The plan, NULL_GUID when the program ends. */
static ocrGuid_t make_plan(const OcrSeismicShape *s) {
  OcrSeismicBlock *const blocks = malloc(s->blocks * sizeof *blocks);
  double *const pulse = make_pulse(s->iterations);
  ocrGuid_t guid = NULL_GUID;
  OcrSeismicPlan *plan;
  if (blocks == NULL || pulse == NULL) {
    app_fail(kAppWrong, "seismic: not enough memory");
  } else if (!app_ok(seismic_make_blocks(s, blocks), "seismic: making the data blocks") ||
             !app_ok(seismic_make_plan(&guid, &plan, s, blocks, pulse), "seismic: making the plan")) {
    guid = NULL_GUID;
  }
  free(blocks), free(pulse);
  return guid;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  AppOption options[] = {
      {"rows", "of the grid", 1024, 1, 1000000, NULL},
      {"cols", "of the grid", 1024, 1, 1000000, NULL},
      {"iterations", "of the simulation", 50, 1, 1000000, NULL},
      {"blocks", "of rows, spread over the affinities", 128, 1, 1000000, NULL},
      {"tasks", "worker EDTs in a phase of a block, or parts of its columns in a sweep", 1, 1, 100000, NULL},
      {"steps", "an iteration in two phases, as in the paper, or several in a sweep", 0, 0, 0, kStepChoices},
      {"depth", "iterations of a sweep; at most the rows of a block", 16, 1, 1000000, NULL},
      {"check", "against plain loops, with a row in memory for each iteration", 1, 0, 0, kNoYes},
      {NULL, NULL, 0, 0, 0, NULL}};
  if (!app_options(depv, "Waves in layered ground, in OCR.", options)) return NULL_GUID;
  OcrSeismicShape s = {0};
  s.rows = (Index)options[kRows].value, s.cols = (Index)options[kCols].value;
  s.iterations = options[kIterations].value;
  s.tasks = options[kTasks].value;
  s.sweeps = options[kSteps].value;
  s.source_row = s.rows / 4, s.source_col = s.cols / 2;
  /* A strip of this size stays in half a MiB of cache, its innermost box in 48 KiB. */
  s.strip_iterations = 16, s.strip_cols = 256, s.inner_iterations = 4, s.inner_rows = 8, s.inner_cols = 128;
  seismic_cut(&s, options[kBlocks].value, options[kDepth].value);
  ocrGuid_t plan = make_plan(&s);
  ocrGuid_t verdict;
  if (ocrGuidIsNull(plan) || !app_ok(app_make_verdict(&verdict, s.blocks), "ocrDbCreate")) return NULL_GUID;
  ocrDbRelease(plan);
  ocrGuid_t fill_all, filling, filled, start, starter;
  ocrEdtTemplateCreate(&fill_all, fill_all_edt, 0, 1);
  ocrEdtTemplateCreate(&start, start_edt, 1, 3);
  ocrEdtCreate(&starter, start, EDT_PARAM_DEF, &options[kCheck].value, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT,
               NULL);
  ocrEdtCreate(&filling, fill_all, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_FINISH, NULL_HINT, &filled);
  ocrAddDependence(filled, starter, 2, DB_MODE_NULL);
  ocrAddDependence(verdict, starter, 1, DB_MODE_RW);
  ocrAddDependence(plan, starter, 0, DB_MODE_RO);
  ocrAddDependence(plan, filling, 0, DB_MODE_RO);
  ocrEdtTemplateDestroy(fill_all);
  ocrEdtTemplateDestroy(start);
  return NULL_GUID;
}
