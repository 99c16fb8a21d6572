/* SPDX-License-Identifier: Apache-2.0 */

/* EDTs that wait, and cannot all go on: those in the middle were resumed, and wait for each other. */
#define OCR_ENABLE_EDT_NAMING
#define ENABLE_EXTENSION_LEGACY
#include "ocr.h"
#include "extensions/ocr-legacy.h"

enum { kPasses = 5 };

static void wait_for(ocrGuid_t event) { ocrLegacyBlockProgress(event, NULL, NULL, NULL, LEGACY_PROP_NONE); }

/* Parameters: two events, of which each EDT satisfies one and then waits for the other. */
static ocrGuid_t first(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc, (void)depv;
  ocrGuid_t *const events = (ocrGuid_t *)paramv;
  for (int i = 0; i < kPasses; ++i) {
    wait_for(events[2 * i]);
    ocrEventSatisfy(events[2 * i + 1], NULL_GUID);
  }
  wait_for(events[2 * kPasses]);
  return NULL_GUID;
}

static ocrGuid_t second(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc, (void)depv;
  ocrGuid_t *const events = (ocrGuid_t *)paramv;
  for (int i = 0; i < kPasses; ++i) {
    ocrEventSatisfy(events[2 * i], NULL_GUID);
    wait_for(events[2 * i + 1]);
  }
  ocrPrintf("all passes are done\n");
  wait_for(events[2 * kPasses]);
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  enum { kEvents = 2 * kPasses + 1, kWords = sizeof(ocrGuid_t) / sizeof(u64) * kEvents };
  ocrGuid_t of, edt, events[kEvents];
  for (int i = 0; i < kEvents; ++i) ocrEventCreate(&events[i], OCR_EVENT_STICKY_T, EVT_PROP_NONE);
  ocrEdtTemplateCreate(&of, first, kWords, 0);
  ocrEdtCreate(&edt, of, kWords, (u64 *)events, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrEdtTemplateCreate(&of, second, kWords, 0);
  ocrEdtCreate(&edt, of, kWords, (u64 *)events, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  return NULL_GUID;
}
