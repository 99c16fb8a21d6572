/* SPDX-License-Identifier: Apache-2.0 */

/* An OCR program that keeps what it has asked of ranks at its start, for checkpoints: ocr_places ROUNDS
 *
 * It holds the affinities that there were, and makes what it makes at PLACES of them, in turn. Each place has a map of
 * labels, a range of EDTs, a template and a block of its own, all made there. In each round a finish EDT of each place makes
 * the event of a label of the next place, an EDT by the template of another, which depends on that event, and an EDT of a
 * label of a third. The sum that is printed at the end depends on neither the ranks nor their number; what is not as the
 * program was told ends it with exit code 3. */
#include <extensions/ocr-affinity.h>
#include <extensions/ocr-labeling.h>
#include <ocr.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACES 6u
#define LABELS 4u

typedef struct {
  ocrGuid_t map, edt_range, edt_template, block;
} place_t;

/* In the block that goes from round to round. */
typedef struct {
  u64 left, rounds, sum, told;
  ocrGuid_t affinity[PLACES];
  place_t place[PLACES];
  ocrGuid_t next, visit, step, settle;
} state_t;

static void demand(int holds, const char *what, u64 number) {
  if (holds) return;
  fprintf(stderr, "place %llu: %s\n", (unsigned long long)number, what);
  ocrAbort(3);
}

/* What is made with that hint is where the affinity is, or what stands for it now. */
static ocrHint_t *at(ocrHint_t *hint, ocrHintType_t type, const state_t *of, u64 number) {
  ocrHintInit(hint, type);
  ocrSetHintValue(hint, type == OCR_HINT_EDT_T ? OCR_HINT_EDT_AFFINITY : OCR_HINT_DB_AFFINITY,
                  ocrAffinityToHintValue(of->affinity[number % PLACES]));
  return hint;
}

static ocrGuid_t label_of(ocrGuid_t start, u64 skip, s64 *params, s64 *tuple) {
  return addValueToGuid(start, skip * (u64)((tuple[0] * params[0] + tuple[1]) % params[1]));
}

static ocrGuid_t labelled(ocrGuid_t map, u64 round, u64 place) {
  ocrGuid_t guid;
  s64 tuple[2] = {(s64)round, (s64)place};
  demand(ocrGuidFromLabel(&guid, map, tuple) == 0, "its map is gone", place);
  return guid;
}

static ocrGuid_t number_block(const state_t *of, u64 where, u64 number) {
  ocrGuid_t block;
  u64 *data;
  ocrHint_t hint;
  ocrDbCreate(&block, (void **)&data, sizeof *data, DB_PROP_NONE, at(&hint, OCR_HINT_DB_T, of, where), NO_ALLOC);
  *data = number;
  ocrDbRelease(block);
  return block;
}

/* Adds its number to the block of a place. */
ocrGuid_t step(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  volatile u64 x = 0;
  for (int i = 0; i < 20000; ++i) x += (u64)i;
  *(u64 *)depv[1].ptr += depv[0].ptr != NULL ? *(u64 *)depv[0].ptr : paramv[0];
  if (depv[0].ptr != NULL) ocrDbDestroy(depv[0].guid);
  return NULL_GUID;
}

/* A finish EDT at a place: paramv has the round and the place. Slot 0: the state. */
ocrGuid_t visit(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const state_t *of = depv[0].ptr;
  const u64 round = paramv[0], here = paramv[1], next = (here + 1) % PLACES, after = (here + 2) % PLACES;
  u64 count = 0;
  ocrGuid_t affinity;
  demand(ocrAffinityCount(AFFINITY_PD, &count) == 0 && count > 0, "there is no affinity", here);
  for (u64 i = 0; i < of->told; ++i)
    demand(ocrAffinityGetAt(AFFINITY_PD, i, &affinity) == 0, "an affinity of which it was told is gone", here);
  demand(ocrAffinityQuery(of->affinity[here], NULL, &affinity) == 0, "it cannot be asked for", here);

  ocrGuid_t event = labelled(of->place[next].map, round, here), edt;
  demand(ocrEventCreate(&event, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG | GUID_PROP_IS_LABELED) == 0, "its label is taken", here);
  ocrHint_t hint;
  u64 number = round * 10 + here;
  demand(ocrEdtCreate(&edt, of->place[(here + 3) % PLACES].edt_template, 1, &number, 2, NULL, EDT_PROP_NONE,
                      at(&hint, OCR_HINT_EDT_T, of, round + here), NULL) == 0, "its template is gone", here);
  ocrAddDependence(of->place[next].block, edt, 1, DB_MODE_EW);
  ocrAddDependence(event, edt, 0, DB_MODE_RO);
  ocrEventSatisfy(event, number_block(of, after, number));

  if (here < LABELS) {
    ocrGuidFromIndex(&edt, of->place[after].edt_range, here);
    demand(ocrEdtCreate(&edt, of->step, 1, &number, 2, NULL, GUID_PROP_IS_LABELED, NULL_HINT, NULL) == 0, "its EDT is there", here);
    ocrAddDependence(of->place[here].block, edt, 1, DB_MODE_EW);
    ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_RO);
  }
  return NULL_GUID;
}

static ocrGuid_t gather(const state_t *of, ocrGuid_t self, u64 where) {
  ocrGuid_t edt;
  ocrHint_t hint;
  ocrEdtCreate(&edt, of->next, 0, NULL, 2 + PLACES, NULL, EDT_PROP_NONE, at(&hint, OCR_HINT_EDT_T, of, where), NULL);
  for (u32 i = 0; i < PLACES; ++i) ocrAddDependence(of->place[i].block, edt, 1 + i, DB_MODE_RO);
  ocrAddDependence(self, edt, 0, DB_MODE_EW);
  return edt;
}

/* Slot 0: the state; then the blocks of all places; the last slot: that the visits of the round before have ended. */
ocrGuid_t next(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  state_t *of = depv[0].ptr;
  for (u32 i = 0; i < PLACES; ++i) of->sum = of->sum * 31 + *(u64 *)depv[1 + i].ptr;
  if (of->left == 0) {
    printf("%llu rounds, %llu\n", (unsigned long long)of->rounds, (unsigned long long)of->sum);
    ocrShutdown();
    return NULL_GUID;
  }
  const u64 round = of->rounds - of->left--;
  ocrGuid_t latch, output, edt;
  ocrHint_t hint;
  ocrEventParams_t params;
  params.EVENT_LATCH.counter = PLACES;
  ocrEventCreateParams(&latch, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params);
  ocrAddDependence(latch, gather(of, depv[0].guid, round), 1 + PLACES, DB_MODE_NULL);
  for (u64 i = 0; i < PLACES; ++i) {
    u64 of_visit[2] = {round, i};
    ocrEdtCreate(&edt, of->visit, 2, of_visit, 1, NULL, EDT_PROP_FINISH, at(&hint, OCR_HINT_EDT_T, of, i), &output);
    ocrAddDependence(output, latch, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL);
    ocrAddDependence(depv[0].guid, edt, 0, DB_MODE_RO);
  }
  return NULL_GUID;
}

/* Makes what a place has, there, and goes to the next one. Slot 0: the state. */
ocrGuid_t settle(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  state_t *of = depv[0].ptr;
  place_t *here = &of->place[paramv[0]];
  s64 params[2] = {PLACES, 2 * PLACES};
  u64 *data, following = paramv[0] + 1;
  ocrGuidMapCreate(&here->map, 2, label_of, params, 2 * PLACES, GUID_USER_EVENT_ONCE);
  ocrGuidRangeCreate(&here->edt_range, LABELS, GUID_USER_EDT);
  ocrEdtTemplateCreate(&here->edt_template, step, 1, 2);
  ocrDbCreate(&here->block, (void **)&data, sizeof *data, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *data = 0;
  ocrDbRelease(here->block);
  if (following == PLACES) {
    ocrAddDependence(NULL_GUID, gather(of, depv[0].guid, 0), 1 + PLACES, DB_MODE_NULL);
    return NULL_GUID;
  }
  ocrGuid_t edt;
  ocrHint_t hint;
  ocrEdtCreate(&edt, of->settle, 1, &following, 1, NULL, EDT_PROP_NONE, at(&hint, OCR_HINT_EDT_T, of, following), NULL);
  ocrAddDependence(depv[0].guid, edt, 0, DB_MODE_EW);
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  ocrGuid_t block, edt;
  state_t *of;
  u64 first = 0;
  ocrDbCreate(&block, (void **)&of, sizeof *of, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  of->left = of->rounds = ocrGetArgc(depv[0].ptr) > 1 ? strtoull(ocrGetArgv(depv[0].ptr, 1), NULL, 10) : 20;
  of->sum = 0;
  ocrAffinityCount(AFFINITY_PD, &of->told);
  for (u64 i = 0; i < PLACES; ++i) ocrAffinityGetAt(AFFINITY_PD, i % of->told, &of->affinity[i]);
  ocrEdtTemplateCreate(&of->next, next, 0, 2 + PLACES);
  ocrEdtTemplateCreate(&of->visit, visit, 2, 1);
  ocrEdtTemplateCreate(&of->step, step, 1, 2);
  ocrEdtTemplateCreate(&of->settle, settle, 1, 1);
  ocrEdtCreate(&edt, of->settle, 1, &first, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrDbRelease(block);
  ocrAddDependence(block, edt, 0, DB_MODE_EW);
  return NULL_GUID;
}
