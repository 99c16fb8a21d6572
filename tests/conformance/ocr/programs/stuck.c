/* SPDX-License-Identifier: Apache-2.0 */

/* Makes no progress: one EDT waits for an event that nobody satisfies, one for a dependence that nobody adds. */
#define OCR_ENABLE_EDT_NAMING
#include "ocr.h"

static ocrGuid_t waits(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  ocrGuid_t of, edt, event;
  ocrEdtTemplateCreate(&of, waits, 0, 2);
  ocrEdtCreate(&edt, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrEventCreate(&event, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG);
  ocrAddDependence(event, edt, 0, DB_MODE_RO);
  return NULL_GUID;
}
