/* SPDX-License-Identifier: Apache-2.0 */

/* Labels that nobody creates anything under: a slot depends on one, and an EDT waits for another. */
#define OCR_ENABLE_EDT_NAMING
#define ENABLE_EXTENSION_LABELING
#define ENABLE_EXTENSION_LEGACY
#include "ocr.h"
#include "extensions/ocr-labeling.h"
#include "extensions/ocr-legacy.h"

static ocrGuid_t consumer(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  return NULL_GUID;
}

static ocrGuid_t sleeper(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc, (void)depv;
  ocrLegacyBlockProgress(*(ocrGuid_t *)paramv, NULL, NULL, NULL, LEGACY_PROP_WAIT_FOR_CREATE);
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  enum { kWords = sizeof(ocrGuid_t) / sizeof(u64) };
  ocrGuid_t blocks, events, of, edt, block, event;
  ocrGuidRangeCreate(&blocks, 1, GUID_USER_DB);
  ocrGuidRangeCreate(&events, 1, GUID_USER_EVENT_STICKY);
  ocrGuidFromIndex(&block, blocks, 0);
  ocrGuidFromIndex(&event, events, 0);
  ocrEdtTemplateCreate(&of, consumer, 0, 1);
  ocrEdtCreate(&edt, of, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrAddDependence(block, edt, 0, DB_MODE_RO);
  ocrEdtTemplateCreate(&of, sleeper, kWords, 0);
  ocrEdtCreate(&edt, of, kWords, (u64 *)&event, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  return NULL_GUID;
}
