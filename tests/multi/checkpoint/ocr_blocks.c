/* SPDX-License-Identifier: Apache-2.0 */

/* An OCR program with blocks that it writes in turn, for checkpoints: ocr_blocks BLOCKS BYTES LANES STEPS [REPEAT]
 *
 * LANES chains of EDTs, one EDT of each ready at a time, which goes through the blocks of its lane again and again, STEPS in
 * all. It adds one to each number of a block, REPEAT times, after it has looked whether these are the same everywhere:
 * half of a block as it was, and half as it is, would show. At the end the sum over all blocks is printed. Over ranks each has
 * some of the blocks and of the EDTs. */
#include <ocr.h>
#include <stdio.h>
#include <stdlib.h>

#include "place.h"

typedef struct {
  u64 blocks, lanes, lane, left, repeat;
  ocrGuid_t step, done;
} state_t;
#define WORDS (sizeof(state_t) / sizeof(u64))

static void stop(u64 block, u64 at) {
  fprintf(stderr, "block %llu: number %llu is another one than the first\n", (unsigned long long)block,
          (unsigned long long)at);
  ocrAbort(3);
}

static void follow(const state_t *of, ocrGuid_t all, const ocrGuid_t *blocks) {
  ocrGuid_t edt;
  const u64 turns = (of->blocks - of->lane + of->lanes - 1) / of->lanes;
  const ocrGuid_t next = blocks[of->lane + of->left % turns * of->lanes];
  ocrHint_t hint;
  ocrEdtCreate(&edt, of->step, WORDS, (u64 *)of, 2, NULL, EDT_PROP_NONE,
               place(&hint, OCR_HINT_EDT_T, of->lane + of->left / 3), NULL);
  ocrAddDependence(all, edt, 1, DB_MODE_RO);
  ocrAddDependence(next, edt, 0, DB_MODE_RW);
}

/* Slot 0: the block that is written; slot 1: the GUIDs of all. */
ocrGuid_t step(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  state_t of = *(state_t *)paramv;
  u64 *numbers = depv[0].ptr;
  const u64 count = numbers[0];
  for (u64 turn = 0; turn < of.repeat; ++turn) {
    const u64 now = numbers[1];
    for (u64 i = 0; i < count; ++i)
      if (numbers[1 + i] != now) stop(of.left, i);
    for (u64 i = 0; i < count; ++i) numbers[1 + i] = now + 1;
  }
  if (--of.left == 0) {
    ocrDbRelease(depv[0].guid);  /* what has been written is read after that event */
    ocrEventSatisfySlot(of.done, NULL_GUID, OCR_EVENT_LATCH_DECR_SLOT);
  } else {
    follow(&of, depv[1].guid, depv[1].ptr);
  }
  return NULL_GUID;
}

typedef struct {
  u64 next, blocks, sum;
  ocrGuid_t add;
} sum_t;
#define SUM_WORDS (sizeof(sum_t) / sizeof(u64))

static ocrGuid_t add_next(const sum_t *of, ocrGuid_t all, ocrGuid_t block) {
  ocrGuid_t edt;
  ocrEdtCreate(&edt, of->add, SUM_WORDS, (u64 *)of, 3, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrAddDependence(all, edt, 0, DB_MODE_RO);
  ocrAddDependence(block, edt, 1, DB_MODE_RO);
  return edt;
}

/* Slot 0: the GUIDs of all; slot 1: one block; slot 2: what comes before. */
ocrGuid_t add(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  sum_t of = *(sum_t *)paramv;
  const ocrGuid_t *blocks = depv[0].ptr;
  of.sum += ((u64 *)depv[1].ptr)[1];
  if (++of.next < of.blocks) {
    ocrAddDependence(NULL_GUID, add_next(&of, depv[0].guid, blocks[of.next]), 2, DB_MODE_NULL);
    return NULL_GUID;
  }
  printf("%llu blocks, %llu\n", (unsigned long long)of.blocks, (unsigned long long)of.sum);
  ocrShutdown();
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  u64 of[5] = {64, 1 << 16, 4, 1000, 1};
  for (u32 i = 0; i < 5 && i + 1 < ocrGetArgc(depv[0].ptr); ++i) of[i] = strtoull(ocrGetArgv(depv[0].ptr, i + 1), NULL, 10);
  state_t state = {of[0], of[2], 0, of[3], of[4], NULL_GUID, NULL_GUID};
  sum_t sum = {0, of[0], 0, NULL_GUID};
  ocrGuid_t all, *blocks;
  ocrHint_t hint;
  ocrEdtTemplateCreate(&state.step, step, WORDS, 2);
  ocrEdtTemplateCreate(&sum.add, add, SUM_WORDS, 3);
  ocrEventParams_t params;
  params.EVENT_LATCH.counter = state.lanes;
  ocrEventCreateParams(&state.done, OCR_EVENT_LATCH_T, EVT_PROP_NONE, &params);
  ocrDbCreate(&all, (void **)&blocks, of[0] * sizeof *blocks, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  for (u64 i = 0; i < of[0]; ++i) {
    u64 *numbers;
    ocrDbCreate(&blocks[i], (void **)&numbers, of[1], DB_PROP_NONE, place(&hint, OCR_HINT_DB_T, i), NO_ALLOC);
    numbers[0] = of[1] / sizeof *numbers - 1;
    for (u64 k = 0; k < numbers[0]; ++k) numbers[1 + k] = 0;
    ocrDbRelease(blocks[i]);
  }
  ocrAddDependence(state.done, add_next(&sum, all, blocks[0]), 2, DB_MODE_NULL);
  for (state.lane = 0; state.lane < state.lanes; ++state.lane) follow(&state, all, blocks);
  ocrDbRelease(all);
  return NULL_GUID;
}
