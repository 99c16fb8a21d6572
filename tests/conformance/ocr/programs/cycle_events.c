/* SPDX-License-Identifier: Apache-2.0 */

/* Makes no progress: an EDT waits for an event, which waits for another, which waits for the first; and for one that
   nobody satisfies. */
#define OCR_ENABLE_EDT_NAMING
#include "ocr.h"

static ocrGuid_t patient(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  ocrGuid_t of, edt, first, second, third;
  ocrEventCreate(&first, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
  ocrEventCreate(&second, OCR_EVENT_STICKY_T, EVT_PROP_NONE);
  ocrEventCreate(&third, OCR_EVENT_ONCE_T, EVT_PROP_NONE);
  ocrAddDependence(second, first, 0, DB_MODE_NULL);
  ocrAddDependence(first, second, 0, DB_MODE_NULL);
  ocrEdtTemplateCreate(&of, patient, 0, 2);
  ocrEdtCreate(&edt, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrAddDependence(first, edt, 0, DB_MODE_NULL);
  ocrAddDependence(third, edt, 1, DB_MODE_NULL);
  return NULL_GUID;
}
