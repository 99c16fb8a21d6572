/* SPDX-License-Identifier: Apache-2.0 */

/* Makes no progress: each of two EDTs waits for the end of the other. */
#define OCR_ENABLE_EDT_NAMING
#include "ocr.h"

static ocrGuid_t chicken(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  return NULL_GUID;
}

static ocrGuid_t egg(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  ocrGuid_t of_chicken, of_egg, a, b, end_of_a, end_of_b;
  ocrEdtTemplateCreate(&of_chicken, chicken, 0, 1);
  ocrEdtTemplateCreate(&of_egg, egg, 0, 1);
  ocrEdtCreate(&a, of_chicken, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, &end_of_a);
  ocrEdtCreate(&b, of_egg, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, &end_of_b);
  ocrAddDependence(end_of_a, b, 0, DB_MODE_NULL);
  ocrAddDependence(end_of_b, a, 0, DB_MODE_NULL);
  return NULL_GUID;
}
