/* SPDX-License-Identifier: Apache-2.0 */

/* An OCR program that has objects of most kinds open for a while, for checkpoints: ROUNDS rounds, one after another, each of
 * which spreads over finish EDTs that nest, events of each type, labels that are made late, a block with a heap, a large
 * block that all write in turn, and hints. Every EDT adds to a sum in a block; the sum is printed at the end, and does not
 * depend on the order in which EDTs run, nor on the ranks, over which they are spread. */
#include <extensions/ocr-labeling.h>
#include <ocr.h>
#include <stdio.h>
#include <stdlib.h>

#include "place.h"

#define WIDTH 6
#define LARGE (1u << 16)
#define DEEP 3

/* In the block that goes from round to round. */
typedef struct {
  u64 left, sum, rounds;
  ocrGuid_t leaf, inner, collect, next, late, maker;  /* templates */
  ocrGuid_t range, edt_range, channel, large, heap;
  u64 offset;
} state_t;

static void work(void) {
  volatile u64 x = 0;
  for (int i = 0; i < 20000; ++i) x += (u64)i;
}

#define NOTHING ((u64)1 << 63)

/* Returns a block with a number that it has computed from its parameters and its input, unless the former has NOTHING. */
ocrGuid_t leaf(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc;
  work();
  u64 sum = paramv[0] * 2654435761u % 1000003;
  for (u32 i = 0; i < depc; ++i)
    if (depv[i].ptr != NULL) sum += *(u64 *)depv[i].ptr;
  if ((paramv[0] & NOTHING) != 0) return NULL_GUID;
  ocrGuid_t block;
  u64 *data;
  ocrDbCreate(&block, (void **)&data, sizeof *data, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *data = sum;
  ocrDbRelease(block);
  return block;
}

/* A finish EDT that makes leaves, and itself again one level deeper; what the first returns comes when all of them have ended. */
ocrGuid_t inner(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const state_t *of = depv[0].ptr;
  ocrHint_t hint;
  work();
  for (u64 i = 0; i < 2; ++i) {
    ocrGuid_t edt;
    u64 number = (paramv[0] + i) | NOTHING;
    ocrEdtCreate(&edt, of->leaf, 1, &number, 1, NULL, EDT_PROP_NONE, place(&hint, OCR_HINT_EDT_T, paramv[0] + i), NULL);
    ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_RO);
  }
  if (paramv[1] > 0) {
    u64 deeper[2] = {paramv[0] + 17, paramv[1] - 1};
    ocrGuid_t edt;
    ocrEdtCreate(&edt, of->inner, 2, deeper, 1, NULL, EDT_PROP_FINISH, place(&hint, OCR_HINT_EDT_T, paramv[0] / 3), NULL);
    ocrAddDependence(depv[0].guid, edt, 0, DB_MODE_RO);
  }
  if (paramv[1] < DEEP) return NULL_GUID;
  ocrGuid_t block;
  u64 *data;
  ocrDbCreate(&block, (void **)&data, sizeof *data, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *data = paramv[0];
  return block;
}

/* Adds one to each number of the large block that it has alone. */
ocrGuid_t late(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  work();
  u32 *numbers = depv[0].ptr;
  for (u32 i = 0; i < LARGE; i += 64) numbers[i] += (u32)paramv[0];
  return NULL_GUID;
}

/* A round's end: slot 0 has the state, slot 1 the large block; the others what the EDTs of the round have given. */
ocrGuid_t collect(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv;
  state_t *of = depv[0].ptr;
  for (u32 i = 2; i < depc; ++i) {
    if (depv[i].ptr == NULL) continue;
    of->sum = of->sum * 31 + *(u64 *)depv[i].ptr;
    ocrDbDestroy(depv[i].guid);
  }
  const u32 *numbers = depv[1].ptr;
  for (u32 i = 0; i < LARGE; i += 64) of->sum += numbers[i];
  of->left -= 1;
  ocrGuid_t edt, block = depv[0].guid;
  const ocrGuid_t heap = of->heap, next = of->next;
  const u64 left = of->left;
  ocrDbRelease(block);
  ocrHint_t hint;
  ocrEdtCreate(&edt, next, 0, NULL, 2, NULL, EDT_PROP_NONE, place(&hint, OCR_HINT_EDT_T, left / 2), NULL);
  ocrAddDependence(block, edt, 0, DB_MODE_EW);
  ocrAddDependence(heap, edt, 1, DB_MODE_RW);
  return NULL_GUID;
}

static ocrGuid_t labelled(ocrGuid_t range, u64 index) {
  ocrGuid_t guid;
  ocrGuidFromIndex(&guid, range, index);
  return guid;
}

/* Makes the event of a label, and satisfies it with a number. */
ocrGuid_t maker(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const state_t *of = depv[1].ptr;
  ocrGuid_t block, event = labelled(of->range, paramv[0] % 100);
  u64 *data;
  ocrDbCreate(&block, (void **)&data, sizeof *data, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *data = paramv[0];
  ocrDbRelease(block);
  ocrEventCreate(&event, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG | GUID_PROP_IS_LABELED);
  ocrEventSatisfy(event, block);
  return NULL_GUID;
}

ocrGuid_t next(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  state_t *of = depv[0].ptr;
  if (of->left == 0) {
    printf("%llu rounds, %llu\n", (unsigned long long)of->rounds, (unsigned long long)of->sum);
    ocrShutdown();
    return NULL_GUID;
  }
  const u64 round = of->rounds - of->left;
  /* Memory in a block: a piece is given back, and one is asked for, so the offset follows from what is given out. */
  ocrDbFreeOffset(of->heap, of->offset);

  ocrGuid_t gather;
  ocrEdtCreate(&gather, of->collect, 0, NULL, 2 + 7 * WIDTH, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  u32 slot = 2;
  ocrGuid_t all_written;
  ocrEventParams_t params;
  params.EVENT_LATCH.counter = WIDTH;
  ocrEventCreateParams(&all_written, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params);
  ocrGuid_t turn;
  ocrEventCreate(&turn, OCR_EVENT_ONCE_T, EVT_PROP_NONE);
  /* When the large block is written those that wait for `turn` may go on. */
  ocrAddDependence(all_written, turn, 0, DB_MODE_NULL);
  for (u64 i = 0; i < WIDTH; ++i) {
    ocrGuid_t edt, output;
    u64 number = round * 100 + i;
    ocrHint_t hint;
    ocrSetHintValue(place(&hint, OCR_HINT_EDT_T, i + round), OCR_HINT_EDT_PRIORITY, i % 2);

    /* By its output event. */
    ocrEdtCreate(&edt, of->leaf, 1, &number, 1, NULL, EDT_PROP_NONE, &hint, &output);
    ocrAddDependence(output, gather, slot++, DB_MODE_RO);
    ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_RO);

    /* By finish EDTs in one another. */
    u64 deep[2] = {number, DEEP};
    ocrEdtCreate(&edt, of->inner, 2, deep, 1, NULL, EDT_PROP_FINISH, place(&hint, OCR_HINT_EDT_T, i), &output);
    ocrAddDependence(output, gather, slot++, DB_MODE_RO);
    ocrAddDependence(depv[0].guid, edt, 0, DB_MODE_RO);

    /* By a sticky, an idempotent and a counted event behind one another. */
    ocrGuid_t sticky, idem, counted;
    ocrEventCreate(&sticky, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
    ocrEventCreate(&idem, OCR_EVENT_IDEM_T, EVT_PROP_TAKES_ARG);
    params.EVENT_COUNTED.nbDeps = 2;
    ocrEventCreateParams(&counted, OCR_EVENT_COUNTED_T, EVT_PROP_TAKES_ARG, &params);
    ocrAddDependence(sticky, idem, 0, DB_MODE_RO);
    ocrAddDependence(idem, counted, 0, DB_MODE_RO);
    ocrAddDependence(counted, gather, slot++, DB_MODE_RO);
    ocrEdtCreate(&edt, of->leaf, 1, &number, 1, NULL, EDT_PROP_OEVT_VALID, place(&hint, OCR_HINT_EDT_T, i + 1), &sticky);
    ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_RO);
    ocrEdtCreate(&edt, of->leaf, 1, &number, 1, NULL, EDT_PROP_NONE, place(&hint, OCR_HINT_EDT_T, i), &output);
    ocrAddDependence(output, gather, slot++, DB_MODE_RO);
    ocrAddDependence(counted, edt, 0, DB_MODE_RO);

    /* By a channel: dependences first in even rounds, satisfactions first in odd ones. All bring the same number, since
     * which comes first is not said. */
    u64 same = round * 100 + 77;
    ocrEdtCreate(&edt, of->leaf, 1, &same, 1, NULL, EDT_PROP_NONE, NULL_HINT, &output);
    if (round % 2 == 0) ocrAddDependence(of->channel, gather, slot++, DB_MODE_RO);
    ocrAddDependence(output, of->channel, 0, DB_MODE_RO);
    if (round % 2 != 0) ocrAddDependence(of->channel, gather, slot++, DB_MODE_RO);
    ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_RO);

    /* By an event of a label, made when `turn` comes. */
    ocrGuid_t label = labelled(of->range, i);
    ocrAddDependence(label, gather, slot++, DB_MODE_RO);
    ocrEdtCreate(&edt, of->maker, 1, &number, 2, NULL, EDT_PROP_NONE, place(&hint, OCR_HINT_EDT_T, i), NULL);
    ocrAddDependence(turn, edt, 0, DB_MODE_NULL);
    ocrAddDependence(depv[0].guid, edt, 1, DB_MODE_RO);

    /* By an EDT of a label. */
    edt = labelled(of->edt_range, i);
    ocrEdtCreate(&edt, of->leaf, 1, &number, 1, NULL, GUID_PROP_IS_LABELED, NULL_HINT, &output);
    ocrAddDependence(output, gather, slot++, DB_MODE_RO);
    ocrAddDependence(turn, edt, 0, DB_MODE_NULL);

    /* One after another, in a block that none of them shares. */
    ocrEdtCreate(&edt, of->late, 1, &number, 1, NULL, EDT_PROP_NONE, place(&hint, OCR_HINT_EDT_T, i), &output);
    ocrAddDependence(output, all_written, OCR_EVENT_LATCH_DECR_SLOT, DB_MODE_NULL);
    ocrAddDependence(of->large, edt, 0, DB_MODE_EW);
  }
  ocrDbMallocOffset(of->heap, 64 + 16 * (round % 5), &of->offset);
  of->sum += of->offset;
  const ocrGuid_t large = of->large;
  ocrDbRelease(depv[0].guid);
  ocrAddDependence(large, gather, 1, DB_MODE_RO);
  ocrAddDependence(depv[0].guid, gather, 0, DB_MODE_EW);
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  ocrGuid_t block, edt;
  state_t *of;
  ocrDbCreate(&block, (void **)&of, sizeof *of, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  of->left = of->rounds = ocrGetArgc(depv[0].ptr) > 1 ? strtoull(ocrGetArgv(depv[0].ptr, 1), NULL, 10) : 20;
  of->sum = 0;
  ocrEdtTemplateCreate(&of->leaf, leaf, 1, EDT_PARAM_UNK);
  ocrEdtTemplateCreate(&of->inner, inner, 2, 1);
  ocrEdtTemplateCreate(&of->maker, maker, 1, 2);
  ocrEdtTemplateCreate(&of->late, late, 1, 1);
  ocrEdtTemplateCreate(&of->collect, collect, 0, EDT_PARAM_UNK);
  ocrEdtTemplateCreate(&of->next, next, 0, 2);
  ocrGuidRangeCreate(&of->range, WIDTH, GUID_USER_EVENT_STICKY);
  ocrGuidRangeCreate(&of->edt_range, WIDTH, GUID_USER_EDT);
  ocrEventParams_t params;
  params.EVENT_CHANNEL.maxGen = EVENT_CHANNEL_UNBOUNDED;
  params.EVENT_CHANNEL.nbSat = params.EVENT_CHANNEL.nbDeps = 1;
  ocrEventCreateParams(&of->channel, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params);
  u32 *numbers;
  void *memory;
  ocrDbCreate(&of->large, (void **)&numbers, LARGE * sizeof *numbers, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  for (u32 i = 0; i < LARGE; ++i) numbers[i] = 0;
  ocrDbRelease(of->large);
  ocrDbCreate(&of->heap, &memory, 4096, DB_PROP_NONE, NULL_HINT, WEIR_ALLOC);
  ocrDbMallocOffset(of->heap, 64, &of->offset);
  ocrDbRelease(of->heap);
  const ocrGuid_t template = of->next, heap = of->heap;
  ocrDbRelease(block);
  ocrEdtCreate(&edt, template, 0, NULL, 2, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrAddDependence(block, edt, 0, DB_MODE_EW);
  ocrAddDependence(heap, edt, 1, DB_MODE_RW);
  return NULL_GUID;
}
