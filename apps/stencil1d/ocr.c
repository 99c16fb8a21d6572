/* SPDX-License-Identifier: Apache-2.0 */

/* A stencil in one dimension, in OCR: each cell becomes the mean of those at most `radius` away, again and again.
 * `stencil1d_ocr --help` lists the options. The result is compared bit for bit with a plain loop, block by block.
 *
 * Cells are cut in blocks. An EDT does one iteration of a block; it sends its outermost cells to the neighbours through
 * channel events, as data blocks that the receiver destroys, and makes the EDT of the next iteration, which depends on
 * what the neighbours send. Outside of the cells everything is zero. */
#include "apps/common/ocr_app.h"

typedef struct Neighbours {
  ocrGuid_t cells; /* data block: two arrays, of which one is read and the other written in turn */
  ocrGuid_t to_left, to_right;
} Neighbours;

typedef struct Plan {
  u64 cells, radius, iterations, blocks;
  ocrGuid_t step;
  Neighbours block[];
} Plan;

typedef struct Step {
  u64 block, iteration;
} Step;

static u64 first_of(const Plan *p, u64 block) { return block * p->cells / p->blocks; }
static u64 length_of(const Plan *p, u64 block) { return first_of(p, block + 1) - first_of(p, block); }

static double start_value(u64 i) { return (double)(i * 2654435761u % 1000) / 1000; }

static double mean_around(const double *cells, u64 at, u64 radius) {
  double sum = 0;
  for (u64 i = at - radius; i <= at + radius; ++i) sum += cells[i];
  return sum / (double)(2 * radius + 1);
}

static void send(ocrGuid_t channel, const double *cells, u64 count) {
  ocrGuid_t block;
  void *data;
  if (!app_ok(ocrDbCreate(&block, &data, count * sizeof *cells, DB_PROP_NONE, NULL_HINT, NO_ALLOC), "ocrDbCreate"))
    return;
  memcpy(data, cells, count * sizeof *cells);
  ocrDbRelease(block);
  app_ok(ocrEventSatisfy(channel, block), "ocrEventSatisfy");
}

/* Sends the outermost cells, releases the block, and makes the EDT that needs it and the cells of the neighbours. */
static void go_on(const Plan *p, ocrGuid_t plan, Step next, const double *left, const double *right) {
  const Neighbours *const own = &p->block[next.block];
  const bool has_left = next.block > 0, has_right = next.block + 1 < p->blocks;
  if (has_left) send(own->to_left, left, p->radius);
  if (has_right) send(own->to_right, right, p->radius);
  ocrDbRelease(own->cells);
  ocrGuid_t edt;
  if (!app_ok(
          ocrEdtCreate(&edt, p->step, EDT_PARAM_DEF, (u64 *)&next, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL),
          "ocrEdtCreate"))
    return;
  ocrAddDependence(own->cells, edt, 1, DB_MODE_RW);
  ocrAddDependence(has_left ? own[-1].to_right : NULL_GUID, edt, 2, DB_MODE_RO);
  ocrAddDependence(has_right ? own[1].to_left : NULL_GUID, edt, 3, DB_MODE_RO);
  ocrAddDependence(plan, edt, 0, DB_MODE_RO);
}

/* Cell i of the block, counted from the first that the left neighbour has sent. */
static double cell(const Plan *p, const double *own, u64 length, const ocrEdtDep_t *depv, u64 i) {
  const double *const left = depv[2].ptr, *const right = depv[3].ptr;
  if (i < p->radius) return left == NULL ? 0 : left[i];
  if (i - p->radius < length) return own[i - p->radius];
  return right == NULL ? 0 : right[i - p->radius - length];
}

/* Slots: the plan, the block, what the left and the right neighbour have sent. */
static ocrGuid_t step_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const Plan *const p = depv[0].ptr;
  const Step step = *(const Step *)paramv;
  const u64 length = length_of(p, step.block), radius = p->radius;
  double *const cells = depv[1].ptr;
  const double *const old = cells + (step.iteration % 2) * length;
  double *const now = cells + (1 - step.iteration % 2) * length;
  for (u64 i = 0; i < length; ++i) {
    if (i >= radius && i + radius < length) {
      now[i] = mean_around(old, i, radius);
      continue;
    }
    double sum = 0;
    for (u64 k = i; k <= i + 2 * radius; ++k) sum += cell(p, old, length, depv, k);
    now[i] = sum / (double)(2 * radius + 1);
  }
  for (u32 slot = 2; slot < 4; ++slot)
    if (depv[slot].ptr != NULL) ocrDbDestroy(depv[slot].guid);
  if (step.iteration + 1 < p->iterations) {
    const Step next = {step.block, step.iteration + 1};
    go_on(p, depv[0].guid, next, now, now + length - radius);
  }
  return NULL_GUID;
}

/* Parameters: the block. Slots: the plan, the block. */
static ocrGuid_t fill_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const Plan *const p = depv[0].ptr;
  const u64 length = length_of(p, paramv[0]), first = first_of(p, paramv[0]);
  double *const cells = depv[1].ptr;
  for (u64 i = 0; i < length; ++i) cells[i] = start_value(first + i);
  const Step next = {paramv[0], 0};
  go_on(p, depv[0].guid, next, cells, cells + length - p->radius);
  return NULL_GUID;
}

/* A finish EDT. Slot: the plan. */
static ocrGuid_t start_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const Plan *const p = depv[0].ptr;
  ocrGuid_t fill;
  ocrEdtTemplateCreate(&fill, fill_edt, 1, 2);
  for (u64 i = 0; i < p->blocks; ++i) {
    ocrGuid_t edt, slots[] = {depv[0].guid, p->block[i].cells};
    ocrEdtCreate(&edt, fill, EDT_PARAM_DEF, &i, EDT_PARAM_DEF, slots, EDT_PROP_NONE, NULL_HINT, NULL);
  }
  ocrEdtTemplateDestroy(fill);
  return NULL_GUID;
}

static u64 least(u64 a, u64 b) { return a < b ? a : b; }

/* Goes through the iterations once more, with a plain loop over all cells that can have reached the block. */
static bool is_right(const Plan *p, u64 block, const double *cells) {
  const u64 radius = p->radius, reach = p->iterations * radius, first = first_of(p, block),
            length = length_of(p, block);
  const u64 begin = first - least(first, reach), end = least(first + length + reach, p->cells);
  double *old = calloc(end - begin + 2 * radius, sizeof *old), *now = calloc(end - begin + 2 * radius, sizeof *now);
  bool right = old != NULL && now != NULL;
  if (!right) fprintf(stderr, "stencil1d: not enough memory to check the result\n");
  for (u64 i = begin; right && i < end; ++i) old[radius + i - begin] = start_value(i);
  for (u64 k = 1; right && k <= p->iterations; ++k) {
    const u64 from = begin == 0 ? 0 : begin + k * radius, to = end == p->cells ? end : end - k * radius;
    for (u64 i = from; i < to; ++i) now[radius + i - begin] = mean_around(old, radius + i - begin, radius);
    double *const other = old;
    old = now, now = other;
  }
  right =
      right && memcmp(cells + (p->iterations % 2) * length, old + radius + first - begin, length * sizeof *cells) == 0;
  if (!right) ocrPrintf("block %lu differs from a plain loop\n", (unsigned long)block);
  free(old), free(now);
  return right;
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
  for (u64 i = 0; i < p->blocks; ++i) app_compare(compare, i, depv, p->block[i].cells);
  ocrEdtTemplateDestroy(compare);
  return NULL_GUID;
}

/* Slots: the plan, the verdict; all is checked. */
static ocrGuid_t end_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const Plan *const p = depv[0].ptr;
  const AppVerdict *const v = depv[1].ptr;
  const bool right = app_all_right(v);
  ocrPrintf("%lu cells in %lu blocks, radius %lu, %lu iterations in %.3f s: %s\n", (unsigned long)p->cells,
            (unsigned long)p->blocks, (unsigned long)p->radius, (unsigned long)p->iterations, v->seconds,
            right ? "right" : "WRONG");
  for (u64 i = 0; i < p->blocks; ++i) {
    ocrDbDestroy(p->block[i].cells);
    ocrEventDestroy(p->block[i].to_left);
    ocrEventDestroy(p->block[i].to_right);
  }
  ocrEdtTemplateDestroy(p->step);
  ocrDbDestroy(depv[0].guid);
  ocrDbDestroy(depv[1].guid);
  app_end(right);
  return NULL_GUID;
}

static u8 make_channel(ocrGuid_t *channel) {
  ocrEventParams_t params;
  params.EVENT_CHANNEL.maxGen = 2;
  params.EVENT_CHANNEL.nbSat = 1;
  params.EVENT_CHANNEL.nbDeps = 1;
  return ocrEventCreateParams(channel, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params);
}

static u8 make_block(const Plan *p, u64 number, Neighbours *block) {
  void *none;
  u8 code = ocrDbCreate(&block->cells, &none, 2 * length_of(p, number) * sizeof(double), DB_PROP_NO_ACQUIRE, NULL_HINT,
                        NO_ALLOC);
  if (code == 0) code = make_channel(&block->to_left);
  return code != 0 ? code : make_channel(&block->to_right);
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  AppOption options[] = {{"cells", "in all", 1000000, 1, 10000000000, NULL},
                         {"blocks", "that they are cut in", 64, 1, 1000000, NULL},
                         {"radius", "of the mean", 1, 1, 100000, NULL},
                         {"iterations", "of all cells", 100, 1, 1000000000, NULL},
                         {NULL, NULL, 0, 0, 0, NULL}};
  if (!app_options(depv, "A stencil in one dimension, in OCR.", options)) return NULL_GUID;
  const u64 blocks = options[1].value;
  if (options[0].value / blocks < options[2].value) {
    app_fail(kAppUsage, "%lu cells in %lu blocks of less than the radius of %lu: fewer blocks, or more cells",
             (unsigned long)options[0].value, (unsigned long)blocks, (unsigned long)options[2].value);
    return NULL_GUID;
  }
  ocrGuid_t plan, verdict;
  void *data;
  if (!app_ok(ocrDbCreate(&plan, &data, sizeof(Plan) + blocks * sizeof(Neighbours), DB_PROP_NONE, NULL_HINT, NO_ALLOC),
              "ocrDbCreate") ||
      !app_ok(app_make_verdict(&verdict, blocks), "ocrDbCreate"))
    return NULL_GUID;
  Plan *const p = data;
  p->cells = options[0].value, p->blocks = blocks, p->radius = options[2].value, p->iterations = options[3].value;
  ocrEdtTemplateCreate(&p->step, step_edt, APP_WORDS(Step), 4);
  for (u64 i = 0; i < blocks; ++i)
    if (!app_ok(make_block(p, i, &p->block[i]), "making a block")) return NULL_GUID;
  ocrDbRelease(plan);
  app_run_and_check(plan, verdict, start_edt, check_edt, 0, NULL, end_edt);
  return NULL_GUID;
}
