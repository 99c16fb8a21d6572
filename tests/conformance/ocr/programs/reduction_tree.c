/* SPDX-License-Identifier: Apache-2.0 */

/* Ranks add up their numbers over a tree, as libraries over OCR do: child and parent both create the labelled event
 * between them, whichever comes first. The parent destroys it, and the label serves again in the next round. */
#define ENABLE_EXTENSION_LABELING
#include "ocr.h"

#include "extensions/ocr-labeling.h"

#define RANKS 100
#define ROUNDS 30

typedef struct {
  ocrGuid_t events, rank_of, add_of;
  u64 rank, round;
} Rank;
#define RANK_WORDS (sizeof(Rank) / sizeof(u64))

static ocrGuid_t event_of(const Rank *rank, u64 index) {
  ocrGuid_t event;
  ocrGuidFromIndex(&event, rank->events, index);
  ocrEventCreate(&event, OCR_EVENT_STICKY_T, GUID_PROP_CHECK | EVT_PROP_TAKES_ARG);
  return event;
}

static void start_round(Rank rank) {
  for (rank.rank = 0; rank.rank < RANKS; ++rank.rank) {
    ocrGuid_t edt;
    ocrEdtCreate(&edt, rank.rank_of, EDT_PARAM_DEF, (u64 *)&rank, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  }
}

/* depv: the rank's own number, then those of the ranks below it. */
static ocrGuid_t add(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc;
  Rank rank = *(Rank *)paramv;
  u64 *sum = depv[0].ptr;
  for (u32 i = 1; i < depc; ++i) {
    if (depv[i].ptr == NULL) continue;
    *sum += *(u64 *)depv[i].ptr;
    ocrEventDestroy(event_of(&rank, 2 * rank.rank + i));
    ocrDbDestroy(depv[i].guid);
  }
  if (rank.rank != 0) {
    ocrDbRelease(depv[0].guid);
    ocrEventSatisfy(event_of(&rank, rank.rank), depv[0].guid);
    return NULL_GUID;
  }
  if (*sum != RANKS * (RANKS - 1) / 2) ocrAbort(3);
  ocrDbDestroy(depv[0].guid);
  if (++rank.round < ROUNDS) {
    start_round(rank);
  } else {
    ocrPrintf("%d rounds of %d ranks\n", ROUNDS, RANKS);
    ocrShutdown();
  }
  return NULL_GUID;
}

static ocrGuid_t start_rank(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc, (void)depv;
  const Rank *const rank = (const Rank *)paramv;
  ocrGuid_t edt, block;
  u64 *number;
  ocrDbCreate(&block, (void **)&number, sizeof *number, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *number = rank->rank;
  ocrDbRelease(block);
  ocrEdtCreate(&edt, rank->add_of, EDT_PARAM_DEF, paramv, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrAddDependence(block, edt, 0, DB_MODE_RW);
  for (u32 i = 1; i <= 2; ++i) {
    const u64 below = 2 * rank->rank + i;
    ocrAddDependence(below < RANKS ? event_of(rank, below) : NULL_GUID, edt, i, DB_MODE_RO);
  }
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  Rank rank;
  rank.round = 0;
  ocrGuidRangeCreate(&rank.events, RANKS, GUID_USER_EVENT_STICKY);
  ocrEdtTemplateCreate(&rank.rank_of, start_rank, RANK_WORDS, 0);
  ocrEdtTemplateCreate(&rank.add_of, add, RANK_WORDS, 3);
  start_round(rank);
  return NULL_GUID;
}
