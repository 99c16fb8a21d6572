/* SPDX-License-Identifier: Apache-2.0 */

#include "apps/seismic/ocr_steps.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "extensions/ocr-affinity.h"

enum { kLineBytes = kLine * sizeof(double), kGenerations = 2 };

/* Between neighbours. */
typedef struct Channels {
  ocrGuid_t down; /* to the block below: this block has done phase 1, or this part of its sweep */
  ocrGuid_t up;   /* to the block above: this block has done phase 2, or its sweep as far as this part there reaches */
} Channels;

struct OcrSeismicPlan {
  OcrSeismicShape shape;
  u64 parts, strips; /* of a sweep of a block: parts of as many strips each, or one more */
  ocrGuid_t create, phase1, worker1, phase2, worker2, sweep; /* templates */
  /* Where they begin, from the beginning of the plan: those of block after block, part after part; a row of zeros as
   * those outside of the grid. */
  u64 channels, pulse, outside;
  OcrSeismicBlock blocks[];
};

/* ---- Where things lie ---- */

static Index least(Index a, Index b) { return a < b ? a : b; }

Index seismic_first_row(const OcrSeismicShape *s, u64 block) { return (Index)block * s->block_rows; }
Index seismic_end_row(const OcrSeismicShape *s, u64 block) {
  return least((Index)(block + 1) * s->block_rows, s->rows);
}

const OcrSeismicShape *seismic_shape(const OcrSeismicPlan *plan) { return &plan->shape; }
const OcrSeismicBlock *seismic_blocks(const OcrSeismicPlan *plan) { return plan->blocks; }

static Channels *channels_of(const OcrSeismicPlan *plan, u64 block, u64 part) {
  return (Channels *)((char *)plan + plan->channels) + block * plan->parts + part;
}

static double *line_after(void *address) {
  return (double *)(((uintptr_t)address + kLineBytes - 1) / kLineBytes * kLineBytes);
}

/* A data block begins with a line that says how far behind it the first line of cache was when it was filled: a runtime
 * that moves it to where lines begin elsewhere would move the cells off theirs. */
static double *cells_of(void *block) {
  double *const cells = line_after((char *)block + sizeof(u64));
  const u64 distance = (u64)((char *)cells - (char *)block);
  if (*(u64 *)block != distance) {
    fprintf(stderr,
            "seismic: this runtime has moved a data block to an address that is not a whole number of lines of "
            "cache (%d bytes) away: the kernels need that\n",
            (int)kLineBytes);
    ocrAbort(1);
    *(u64 *)block = distance;
  }
  return cells;
}

static Index array_doubles(const OcrSeismicShape *s) {
  return s->block_rows * seismic_stride(s->cols) + seismic_array_shift();
}
static Index ground_shift(void) { return 3 * seismic_array_shift(); }
/* Of a data block of cells, of either kind. */
static u64 block_bytes(const OcrSeismicShape *s) {
  return (u64)(3 * array_doubles(s) + ground_shift() + 2 * kLine) * sizeof(double);
}

OcrSeismicRows seismic_rows(const OcrSeismicShape *s, void *state, void *ground, Index row) {
  const Index array = array_doubles(s), at = kLine + row * seismic_stride(s->cols);
  double *const of_state = cells_of(state) + at;
  double *const of_ground = ground == NULL ? NULL : cells_of(ground) + ground_shift() + at;
  const OcrSeismicRows rows = {of_state,
                               of_state + array,
                               of_state + 2 * array,
                               of_ground,
                               of_ground == NULL ? NULL : of_ground + array,
                               of_ground == NULL ? NULL : of_ground + 2 * array};
  return rows;
}

void seismic_clear(const OcrSeismicShape *s, void *state, void *ground) {
  void *const both[] = {state, ground};
  for (int i = 0; i < 2; ++i) {
    memset(both[i], 0, block_bytes(s));
    *(u64 *)both[i] = (u64)((char *)line_after((char *)both[i] + sizeof(u64)) - (char *)both[i]);
  }
}

/* The blocks that an EDT has, as the kernels want them. `above` and `below` are states, NULL where there is none;
 * ground_above is NULL: rows of the block above are not computed. */
static Bands bands_of(const OcrSeismicPlan *plan, u64 block, void *state, void *ground, void *above, void *ground_above,
                      void *below) {
  const OcrSeismicShape *const s = &plan->shape;
  const double *const outside = line_after((char *)plan + plan->outside) + kLine;
  const bool both = above != NULL && ground_above != NULL;
  const OcrSeismicRows own = seismic_rows(s, state, ground, 0);
  const OcrSeismicRows other = both ? seismic_rows(s, above, ground_above, 0) : own;
  Bands b = {{other.velocity, own.velocity},
             {other.material, own.material},
             outside,
             outside,
             {seismic_first_row(s, both ? block - 1 : block), seismic_first_row(s, block)},
             seismic_end_row(s, block),
             s->rows,
             s->cols,
             seismic_stride(s->cols),
             array_doubles(s)};
  if (above != NULL && !both) b.stress_y_above = seismic_rows(s, above, NULL, s->block_rows - 1).stress_y;
  if (below != NULL) b.velocity_below = seismic_rows(s, below, NULL, 0).velocity;
  return b;
}

/* ---- Making the EDTs of a step ---- */

enum { kBlock, kStep, kStepParams, kTask = kStepParams, kWorkerParams };
enum { kPartBefore = 6, kSweepSlots }; /* of a sweep */

static bool has_affinity(ocrGuid_t affinity) { return !ocrGuidIsNull(affinity); }

/* In sweeps, the first part of the first step runs ahead of all others, which depend on it: it goes last, so that none
 * of them is left over in the end, a chain for one worker. */
static u64 priority_of(const OcrSeismicPlan *plan, u64 step, u64 part) {
  return plan->shape.sweeps && (step > 0 || part > 0);
}

/* An EDT for a block, where that is. Slots are filled later unless `depv` is given. */
static ocrGuid_t make_edt(ocrGuid_t edt_template, const OcrSeismicBlock *block, u64 priority, u64 *params,
                          ocrGuid_t *depv, u16 properties, ocrGuid_t *done) {
  ocrHint_t hint;
  ocrHintInit(&hint, OCR_HINT_EDT_T);
  if (has_affinity(block->affinity))
    ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(block->affinity));
  if (priority > 0) ocrSetHintValue(&hint, OCR_HINT_EDT_PRIORITY, priority);
  ocrGuid_t edt = NULL_GUID;
  const u8 code = ocrEdtCreate(&edt, edt_template, EDT_PARAM_DEF, params, EDT_PARAM_DEF, depv, properties, &hint, done);
  if (code != 0) {
    fprintf(stderr, "seismic: an EDT could not be created: code %d\n", code);
    ocrAbort(1);
  }
  return edt;
}

/* The next `create` comes when `done` fires. Nothing after the last step. */
static void make_next(ocrGuid_t plan_guid, const OcrSeismicPlan *plan, const u64 *params, ocrGuid_t done) {
  if (params[kStep] + 1 == plan->shape.steps) return;
  u64 next_params[kStepParams] = {params[kBlock], params[kStep] + 1};
  const ocrGuid_t next = make_edt(plan->create, &plan->blocks[params[kBlock]], priority_of(plan, next_params[kStep], 0),
                                  next_params, NULL, EDT_PROP_NONE, NULL);
  ocrAddDependence(done, next, 1, DB_MODE_NULL);
  ocrAddDependence(plan_guid, next, 0, DB_MODE_RO);
}

/* The state of the block below as it is after the step before, for slot `slot`. */
static void depend_on_below(const OcrSeismicPlan *plan, const u64 *params, u64 part, ocrGuid_t edt, u32 slot) {
  const u64 below = params[kBlock] + 1;
  ocrGuid_t source = NULL_GUID;
  if (below < plan->shape.blocks)
    source = params[kStep] == 0 ? plan->blocks[below].state : channels_of(plan, below, part)->up;
  ocrAddDependence(source, edt, slot, DB_MODE_RO);
}

/* That of the block above as it is in this step. */
static void depend_on_above(const OcrSeismicPlan *plan, const u64 *params, u64 part, ocrGuid_t edt, u32 slot,
                            ocrDbAccessMode_t mode) {
  const u64 block = params[kBlock];
  ocrAddDependence(block > 0 ? channels_of(plan, block - 1, part)->down : NULL_GUID, edt, slot, mode);
}

/* When these fire, they tell the neighbours, and pass them this block's state. */
static void tell_below(const OcrSeismicPlan *plan, const u64 *params, u64 part, ocrGuid_t done) {
  if (params[kBlock] + 1 < plan->shape.blocks)
    ocrAddDependence(done, channels_of(plan, params[kBlock], part)->down, 0, DB_MODE_RO);
}
static void tell_above(const OcrSeismicPlan *plan, const u64 *params, u64 part, ocrGuid_t done) {
  if (params[kBlock] > 0 && params[kStep] + 1 < plan->shape.steps)
    ocrAddDependence(done, channels_of(plan, params[kBlock], part)->up, 0, DB_MODE_RO);
}

/* Output events live until they fire: all that depends on an EDT is linked before its last slot is filled. */
static void make_phases(ocrGuid_t plan_guid, const OcrSeismicPlan *plan, u64 *params) {
  const OcrSeismicBlock *const block = &plan->blocks[params[kBlock]];
  ocrGuid_t done1, done2;
  const ocrGuid_t phase2 = make_edt(plan->phase2, block, 0, params, NULL, EDT_PROP_FINISH, &done2);
  make_next(plan_guid, plan, params, done2);
  tell_above(plan, params, 0, done2);
  const ocrGuid_t phase1 = make_edt(plan->phase1, block, 0, params, NULL, EDT_PROP_FINISH, &done1);
  ocrAddDependence(done1, phase2, 1, DB_MODE_NULL);
  tell_below(plan, params, 0, done1);
  depend_on_above(plan, params, 0, phase2, 2, DB_MODE_RO);
  ocrAddDependence(plan_guid, phase2, 0, DB_MODE_RO);
  depend_on_below(plan, params, 0, phase1, 1);
  ocrAddDependence(plan_guid, phase1, 0, DB_MODE_RO);
}

/* A part of a sweep, before `next`, the part to its right. The iterations move left by a line each, so what the step
 * after it needs of this one, up to the end of a part, is there when the next part is done. */
static ocrGuid_t make_part(ocrGuid_t plan_guid, const OcrSeismicPlan *plan, u64 *params, ocrGuid_t next) {
  const u64 number = params[kBlock], part = params[kTask];
  const bool is_last = part + 1 == plan->parts;
  const OcrSeismicBlock *const block = &plan->blocks[number];
  ocrGuid_t done;
  const ocrGuid_t sweep =
      make_edt(plan->sweep, block, priority_of(plan, params[kStep], part), params, NULL, EDT_PROP_NONE, &done);
  if (is_last)
    make_next(plan_guid, plan, params, done);
  else
    ocrAddDependence(done, next, kPartBefore, DB_MODE_NULL);
  tell_below(plan, params, part, done);
  if (part > 0) tell_above(plan, params, part - 1, done);
  if (is_last) tell_above(plan, params, part, done);
  ocrAddDependence(block->state, sweep, 1, DB_MODE_RW);
  ocrAddDependence(block->ground, sweep, 2, DB_MODE_RO);
  depend_on_above(plan, params, part, sweep, 3, DB_MODE_RW);
  ocrAddDependence(number > 0 ? plan->blocks[number - 1].ground : NULL_GUID, sweep, 4, DB_MODE_RO);
  depend_on_below(plan, params, part, sweep, 5);
  if (part == 0) ocrAddDependence(NULL_GUID, sweep, kPartBefore, DB_MODE_NULL);
  ocrAddDependence(plan_guid, sweep, 0, DB_MODE_RO);
  return sweep;
}

static void make_sweep(ocrGuid_t plan_guid, const OcrSeismicPlan *plan, u64 *params) {
  ocrGuid_t next = NULL_GUID;
  for (u64 part = plan->parts; part-- > 0;) {
    u64 part_params[kWorkerParams] = {params[kBlock], params[kStep], part};
    next = make_part(plan_guid, plan, part_params, next);
  }
}

/* Slots: the plan; the step before is done. */
static ocrGuid_t create_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const OcrSeismicPlan *const plan = depv[0].ptr;
  (plan->shape.sweeps ? make_sweep : make_phases)(depv[0].guid, plan, paramv);
  return NULL_GUID;
}

ocrGuid_t seismic_simulate(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const OcrSeismicPlan *const plan = depv[0].ptr;
  for (u64 block = 0; block < plan->shape.blocks && plan->shape.steps > 0; ++block) {
    u64 params[kStepParams] = {block, 0};
    ocrGuid_t slots[] = {depv[0].guid, NULL_GUID};
    make_edt(plan->create, &plan->blocks[block], 0, params, slots, EDT_PROP_NONE, NULL);
  }
  return NULL_GUID;
}

/* ---- Steps in phases ---- */

/* Slots of the phases and their workers. Workers have the block's own data blocks besides. */
enum { kPlanSlot, kNeighbour1 = 1, kNeighbour2 = 2, kOwnState = 1, kOwnGround, kOther, kWorkerSlots };

static void make_workers(ocrGuid_t worker, const u64 *params, ocrGuid_t plan_guid, const OcrSeismicPlan *plan,
                         ocrGuid_t neighbour) {
  const OcrSeismicBlock *const block = &plan->blocks[params[kBlock]];
  for (u64 task = 0; task < plan->shape.tasks; ++task) {
    u64 worker_params[kWorkerParams] = {params[kBlock], params[kStep], task};
    const ocrGuid_t edt = make_edt(worker, block, 0, worker_params, NULL, EDT_PROP_NONE, NULL);
    ocrAddDependence(block->state, edt, kOwnState, DB_MODE_RW);
    ocrAddDependence(block->ground, edt, kOwnGround, DB_MODE_RO);
    ocrAddDependence(neighbour, edt, kOther, DB_MODE_RO);
    ocrAddDependence(plan_guid, edt, kPlanSlot, DB_MODE_RO);
  }
}

/* Both return the block's state, which their output events pass to the neighbours. */
static ocrGuid_t phase1_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const OcrSeismicPlan *const plan = depv[kPlanSlot].ptr;
  make_workers(plan->worker1, paramv, depv[kPlanSlot].guid, plan, depv[kNeighbour1].guid);
  return plan->blocks[paramv[kBlock]].state;
}

static ocrGuid_t phase2_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const OcrSeismicPlan *const plan = depv[kPlanSlot].ptr;
  make_workers(plan->worker2, paramv, depv[kPlanSlot].guid, plan, depv[kNeighbour2].guid);
  return plan->blocks[paramv[kBlock]].state;
}

/* A worker's share of its block's rows. */
static Index share(const OcrSeismicShape *s, const u64 *params, u64 task) {
  const Index first = seismic_first_row(s, params[kBlock]);
  return first + (seismic_end_row(s, params[kBlock]) - first) * (Index)task / (Index)s->tasks;
}

static ocrGuid_t worker1_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const OcrSeismicPlan *const plan = depv[kPlanSlot].ptr;
  const OcrSeismicShape *const s = &plan->shape;
  const Bands bands =
      bands_of(plan, paramv[kBlock], depv[kOwnState].ptr, depv[kOwnGround].ptr, NULL, NULL, depv[kOther].ptr);
  const Index end = share(s, paramv, paramv[kTask] + 1);
  for (Index row = share(s, paramv, paramv[kTask]); row < end; ++row)
    seismic_stress_row((unsigned)s->kernels, &bands, row);
  return NULL_GUID;
}

static const double *pulse_of(const OcrSeismicPlan *plan) { return (const double *)((const char *)plan + plan->pulse); }

static ocrGuid_t worker2_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const OcrSeismicPlan *const plan = depv[kPlanSlot].ptr;
  const OcrSeismicShape *const s = &plan->shape;
  const Bands bands =
      bands_of(plan, paramv[kBlock], depv[kOwnState].ptr, depv[kOwnGround].ptr, depv[kOther].ptr, NULL, NULL);
  const Index begin = share(s, paramv, paramv[kTask]), end = share(s, paramv, paramv[kTask] + 1);
  for (Index row = begin; row < end; ++row) seismic_velocity_row((unsigned)s->kernels, &bands, row);
  if (begin <= s->source_row && s->source_row < end) {
    const Index row = s->source_row - seismic_first_row(s, paramv[kBlock]);
    bands.state[1][row * bands.stride + s->source_col] += pulse_of(plan)[paramv[kStep]];
  }
  return NULL_GUID;
}

/* ---- Steps in sweeps ---- */

static Index most_iterations(const OcrSeismicShape *s) {
  return (Index)((s->iterations + s->steps - 1) / s->steps); /* of a step */
}

/* That cover the grid and what the strips move left by. */
static u64 strips_of(const OcrSeismicShape *s) {
  return (u64)((s->cols + (most_iterations(s) - 1) * kLine + s->strip_cols - 1) / s->strip_cols);
}

/* A part is wider than what its strips move left by: two of one step and of the next never meet but where the first has
 * to be done. */
static u64 parts_of(const OcrSeismicShape *s) {
  const u64 least_strips = (u64)(most_iterations(s) * kLine / s->strip_cols + 1), most = strips_of(s) / least_strips;
  return most < 1 ? 1 : s->tasks < most ? s->tasks : most;
}

static Index first_strip(const OcrSeismicPlan *plan, u64 part) { return (Index)(plan->strips * part / plan->parts); }

/* Iterations [first, end) of the plan, of the rows that begin with `row` and the strips of the part, which move up and
 * left with each. */
static void sweep_rows(const OcrSeismicPlan *plan, const Bands *bands, const Source *source, u64 part, Index row,
                       Index first, Index end) {
  const OcrSeismicShape *const s = &plan->shape;
  const Index begin_strip = first_strip(plan, part), end_strip = first_strip(plan, part + 1);
  const Index times = (end - first + s->strip_iterations - 1) / s->strip_iterations;
  for (Index time = 0; time < times; ++time) {
    const Index done = time * (end - first) / times;
    const Index iterations = (time + 1) * (end - first) / times - done;
    for (Index strip = begin_strip; strip < end_strip; ++strip) {
      const Sweep sweep = {first + done,
                           iterations,
                           row - done,
                           s->block_rows,
                           strip * s->strip_cols - done * kLine,
                           s->strip_cols,
                           least(s->inner_iterations, iterations),
                           s->inner_rows,
                           s->inner_cols};
      seismic_sweep((unsigned)s->kernels, bands, source, &sweep);
    }
  }
}

/* Slots: the plan, state and ground of the block, of the one above, the state of the one below; the part before. */
static ocrGuid_t sweep_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const OcrSeismicPlan *const plan = depv[0].ptr;
  const OcrSeismicShape *const s = &plan->shape;
  const u64 block = paramv[kBlock], step = paramv[kStep];
  const Bands bands = bands_of(plan, block, depv[1].ptr, depv[2].ptr, depv[3].ptr, depv[4].ptr, depv[5].ptr);
  const Source source = {s->source_row, s->source_col, pulse_of(plan)};
  const Index first = (Index)(step * s->iterations / s->steps), end = (Index)((step + 1) * s->iterations / s->steps);
  const Index row = seismic_first_row(s, block);
  sweep_rows(plan, &bands, &source, paramv[kTask], row, first, end);
  /* What the skew leaves of the last block. */
  if (block + 1 == s->blocks && row + s->block_rows - (end - first - 1) < s->rows)
    sweep_rows(plan, &bands, &source, paramv[kTask], row + s->block_rows, first, end);
  return depv[1].guid;
}

/* ---- Making and destroying ---- */

void seismic_cut(OcrSeismicShape *s, u64 blocks, u64 depth) {
  s->block_rows = (s->rows + (Index)blocks - 1) / (Index)blocks;
  s->blocks = (u64)((s->rows + s->block_rows - 1) / s->block_rows);
  if (depth > (u64)s->block_rows) depth = (u64)s->block_rows;
  s->steps = s->sweeps ? (s->iterations + depth - 1) / depth : s->iterations;
}

static ocrGuid_t affinity_of(u64 block, u64 blocks, u64 affinities) {
  ocrGuid_t affinity = NULL_GUID;
  if (affinities > 0) ocrAffinityGetAt(AFFINITY_PD, block * affinities / blocks, &affinity);
  return affinity;
}

u8 seismic_make_blocks(const OcrSeismicShape *s, OcrSeismicBlock *blocks) {
  u64 affinities = 0;
  ocrAffinityCount(AFFINITY_PD, &affinities);
  for (u64 i = 0; i < s->blocks; ++i) {
    OcrSeismicBlock *const block = &blocks[i];
    block->affinity = affinity_of(i, s->blocks, affinities);
    ocrHint_t hint;
    ocrHintInit(&hint, OCR_HINT_DB_T);
    if (has_affinity(block->affinity))
      ocrSetHintValue(&hint, OCR_HINT_DB_AFFINITY, ocrAffinityToHintValue(block->affinity));
    void *none;
    u8 code = ocrDbCreate(&block->state, &none, block_bytes(s), DB_PROP_NO_ACQUIRE, &hint, NO_ALLOC);
    if (code == 0) code = ocrDbCreate(&block->ground, &none, block_bytes(s), DB_PROP_NO_ACQUIRE, &hint, NO_ALLOC);
    if (code != 0) return code;
  }
  return 0;
}

void seismic_destroy_blocks(const OcrSeismicShape *s, const OcrSeismicBlock *blocks) {
  for (u64 i = 0; i < s->blocks; ++i) {
    ocrDbDestroy(blocks[i].state);
    ocrDbDestroy(blocks[i].ground);
  }
}

static u8 make_channel(ocrGuid_t *channel) {
  ocrEventParams_t params;
  params.EVENT_CHANNEL.maxGen = kGenerations;
  params.EVENT_CHANNEL.nbSat = 1;
  params.EVENT_CHANNEL.nbDeps = 1;
  return ocrEventCreateParams(channel, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params);
}

static u8 make_templates(OcrSeismicPlan *plan) {
  u8 code = ocrEdtTemplateCreate(&plan->create, create_edt, kStepParams, 2);
  if (code == 0) code = ocrEdtTemplateCreate(&plan->phase1, phase1_edt, kStepParams, 2);
  if (code == 0) code = ocrEdtTemplateCreate(&plan->phase2, phase2_edt, kStepParams, 3);
  if (code == 0) code = ocrEdtTemplateCreate(&plan->worker1, worker1_edt, kWorkerParams, kWorkerSlots);
  if (code == 0) code = ocrEdtTemplateCreate(&plan->worker2, worker2_edt, kWorkerParams, kWorkerSlots);
  if (code == 0) code = ocrEdtTemplateCreate(&plan->sweep, sweep_edt, kWorkerParams, kSweepSlots);
  return code;
}

u8 seismic_make_plan(ocrGuid_t *guid, OcrSeismicPlan **result, const OcrSeismicShape *shape,
                     const OcrSeismicBlock *blocks, const double *pulse) {
  const bool has_parts = shape->sweeps && shape->steps > 0;
  const u64 parts = has_parts ? parts_of(shape) : 1;
  const u64 header = sizeof(OcrSeismicPlan) + shape->blocks * sizeof(OcrSeismicBlock);
  const u64 channels = shape->blocks * parts * sizeof(Channels);
  const u64 pulses = shape->iterations * sizeof(double);
  const u64 row = (u64)(seismic_stride(shape->cols) + 2 * kLine) * sizeof(double);
  void *memory;
  u8 code = ocrDbCreate(guid, &memory, header + channels + pulses + row, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  if (code != 0) return code;
  OcrSeismicPlan *const plan = memory;
  memset(plan, 0, header + channels + pulses + row);
  plan->shape = *shape;
  plan->parts = parts;
  plan->strips = has_parts ? strips_of(shape) : 0;
  plan->channels = header;
  plan->pulse = header + channels;
  plan->outside = header + channels + pulses;
  memcpy((char *)plan + plan->pulse, pulse, pulses);
  memcpy(plan->blocks, blocks, shape->blocks * sizeof *blocks);
  for (u64 i = 0; i < shape->blocks * parts && code == 0; ++i) {
    Channels *const c = channels_of(plan, 0, i);
    code = make_channel(&c->down);
    if (code == 0) code = make_channel(&c->up);
  }
  if (code == 0) code = make_templates(plan);
  *result = plan;
  return code;
}

void seismic_destroy_plan(ocrGuid_t guid, const OcrSeismicPlan *plan) {
  for (u64 i = 0; i < plan->shape.blocks * plan->parts; ++i) {
    const Channels *const c = channels_of(plan, 0, i);
    ocrEventDestroy(c->down);
    ocrEventDestroy(c->up);
  }
  const ocrGuid_t templates[] = {plan->create, plan->phase1, plan->phase2, plan->worker1, plan->worker2, plan->sweep};
  for (u32 i = 0; i < sizeof templates / sizeof templates[0]; ++i) ocrEdtTemplateDestroy(templates[i]);
  ocrDbDestroy(guid);
}
