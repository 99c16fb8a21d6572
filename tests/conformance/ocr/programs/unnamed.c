/* SPDX-License-Identifier: Apache-2.0 */

/* An EDT that waits for ever, of a program that does not tell the names of its EDTs. */
#include "ocr.h"

static ocrGuid_t patient(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  ocrGuid_t of, edt;
  ocrEdtTemplateCreate(&of, patient, 0, 1);
  ocrEdtCreate(&edt, of, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  return NULL_GUID;
}
