/* SPDX-License-Identifier: Apache-2.0 */

/* EDTs that wait within themselves, in OCR's legacy mode. `waits ordered`: nothing to find. `waits missing_edge`: an EDT
 * that runs on top of the one that waits writes what that reads, and is not what it waits for. */
#include <string.h>

#include "extensions/ocr-legacy.h"
#include "ocr.h"

enum { kRounds = 3, kWords = 8 };

static int missing_edge;

static void make(ocrEdt_t function, u32 paramc, u64 *paramv, ocrGuid_t block) {
  ocrGuid_t of, edt;
  ocrEdtTemplateCreate(&of, function, paramc, 1);
  ocrEdtCreate(&edt, of, paramc, paramv, 1, &block, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrEdtTemplateDestroy(of);
}

/* Parameters: a channel, the word to write. */
static ocrGuid_t writer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  ocrGuid_t channel;
  memcpy(&channel, paramv, sizeof channel);
  ((u64 *)depv[0].ptr)[paramv[1]] = paramv[1];
  ocrDbRelease(depv[0].guid);
  ocrEventSatisfy(channel, NULL_GUID);
  return NULL_GUID;
}

static ocrGuid_t stranger(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  ((u64 *)depv[0].ptr)[kWords - 1] = 1; /* FINDS missing_edge: unordered */
  return NULL_GUID;
}

static ocrGuid_t waiter(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const volatile u64 *const words = depv[0].ptr;
  ocrGuid_t channel;
  ocrEventParams_t params;
  memset(&params, 0, sizeof params);
  params.EVENT_CHANNEL.maxGen = 1, params.EVENT_CHANNEL.nbSat = 1, params.EVENT_CHANNEL.nbDeps = 1;
  ocrEventCreateParams(&channel, OCR_EVENT_CHANNEL_T, EVT_PROP_TAKES_ARG, &params);
  if (missing_edge) make(stranger, 0, NULL, depv[0].guid);
  for (u64 round = 0; round < kRounds; ++round) {
    u64 writer_params[2] = {0, round};
    memcpy(writer_params, &channel, sizeof channel);
    make(writer, 2, writer_params, depv[0].guid);
    ocrLegacyBlockProgress(channel, NULL, NULL, NULL, LEGACY_PROP_NONE);
    (void)words[round];
  }
  (void)words[kWords - 1]; /* FINDS missing_edge: unordered */
  ocrEventDestroy(channel);
  return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  ocrShutdown();
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  missing_edge = strcmp(ocrGetArgv(depv[0].ptr, 1), "missing_edge") == 0;
  ocrDbDestroy(depv[0].guid);
  ocrGuid_t block, waiters, ends, waiting, ending, waited;
  void *data;
  ocrDbCreate(&block, &data, kWords * sizeof(u64), DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  memset(data, 0, kWords * sizeof(u64));
  ocrDbRelease(block);
  ocrEdtTemplateCreate(&waiters, waiter, 0, 1);
  ocrEdtTemplateCreate(&ends, end, 0, 1);
  ocrEdtCreate(&ending, ends, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrEdtCreate(&waiting, waiters, 0, NULL, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &waited);
  ocrAddDependence(waited, ending, 0, DB_MODE_NULL);
  ocrAddDependence(block, waiting, 0, DB_MODE_RW);
  ocrEdtTemplateDestroy(waiters);
  ocrEdtTemplateDestroy(ends);
  return NULL_GUID;
}
