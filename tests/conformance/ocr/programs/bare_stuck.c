/* SPDX-License-Identifier: Apache-2.0 */

/* An EDT without parameters and dependences waits inside for an event that nobody satisfies. */
#define OCR_ENABLE_EDT_NAMING
#define ENABLE_EXTENSION_LEGACY
#include "ocr.h"
#include "extensions/ocr-legacy.h"

static ocrGuid_t sleeper(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  ocrGuid_t event;
  ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
  ocrLegacyBlockProgress(event, NULL, NULL, NULL, LEGACY_PROP_NONE);
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  ocrGuid_t of, edt;
  ocrEdtTemplateCreate(&of, sleeper, 0, 0);
  ocrEdtCreate(&edt, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  return NULL_GUID;
}
