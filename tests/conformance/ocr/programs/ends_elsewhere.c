/* SPDX-License-Identifier: Apache-2.0 */

/* The program is ended while an EDT on another rank runs, which goes on to use objects of the rank that has ended it:
   all that it does succeeds, and the program ends after it. */
#define ENABLE_EXTENSION_AFFINITY
#include <unistd.h>

#include "ocr.h"
#include "extensions/ocr-affinity.h"

static ocrHint_t hint_for(ocrHintType_t type, ocrHintProp_t property, u64 at) {
  u64 count = 0;
  ocrGuid_t where;
  ocrHint_t hint;
  ocrAffinityCount(AFFINITY_PD, &count);
  ocrAffinityGetAt(AFFINITY_PD, at < count ? at : count - 1, &where);
  ocrHintInit(&hint, type);
  ocrSetHintValue(&hint, property, ocrAffinityToHintValue(where));
  return hint;
}

static ocrGuid_t nothing(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  return NULL_GUID;
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  ocrShutdown();
  return NULL_GUID;
}

/* How often something failed of what is done with objects of the first rank. */
static u64 use_objects(void) {
  ocrHint_t block_hint = hint_for(OCR_HINT_DB_T, OCR_HINT_DB_AFFINITY, 0);
  ocrHint_t edt_hint = hint_for(OCR_HINT_EDT_T, OCR_HINT_EDT_AFFINITY, 0);
  ocrGuid_t block, of, edt, output;
  u64 failures = 0, *data = NULL;
  failures += ocrDbCreate(&block, (void **)&data, sizeof *data, DB_PROP_NONE, &block_hint, NO_ALLOC) != 0;
  if (failures != 0) return failures;
  *data = 1;
  failures += ocrDbRelease(block) != 0;
  failures += ocrDbDestroy(block) != 0;
  failures += ocrEdtTemplateCreate(&of, nothing, 0, 2) != 0;
  failures += ocrEdtCreate(&edt, of, 0, NULL, 2, NULL, EDT_PROP_FINISH, &edt_hint, &output) != 0;
  if (failures != 0) return failures;
  failures += ocrAddDependence(NULL_GUID, edt, 0, DB_MODE_NULL) != 0;
  failures += ocrAddDependence(output, edt, 1, DB_MODE_NULL) != 0;
  failures += ocrEdtDestroy(edt) != 0;
  failures += ocrEdtTemplateDestroy(of) != 0;
  /* It may begin, or be left. */
  failures += ocrEdtTemplateCreate(&of, nothing, 0, 0) != 0;
  failures += ocrEdtCreate(NULL, of, 0, NULL, 0, NULL, EDT_PROP_NONE, &edt_hint, NULL) != 0;
  return failures;
}

static ocrGuid_t goes_on(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc, (void)depv;
  u64 failures = ocrEventSatisfy(*(ocrGuid_t *)paramv, NULL_GUID) != 0;
  for (int round = 0; round < 20; ++round, usleep(10000)) failures += use_objects();
  ocrPrintf("goes on to its end, with %d failures\n", (int)failures);
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  enum { kWords = sizeof(ocrGuid_t) / sizeof(u64) };
  ocrHint_t hint = hint_for(OCR_HINT_EDT_T, OCR_HINT_EDT_AFFINITY, ~(u64)0);
  ocrGuid_t event, of;
  ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
  ocrEdtTemplateCreate(&of, last, 0, 1);
  ocrEdtCreate(NULL, of, 0, NULL, 1, &event, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrEdtTemplateCreate(&of, goes_on, kWords, 0);
  ocrEdtCreate(NULL, of, kWords, (u64 *)&event, 0, NULL, EDT_PROP_NONE, &hint, NULL);
  return NULL_GUID;
}
