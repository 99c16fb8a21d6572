/* SPDX-License-Identifier: Apache-2.0 */

/* Ends while many EDTs without parameters and dependences have not run. */
#define OCR_ENABLE_EDT_NAMING
#include "ocr.h"

static ocrGuid_t leaf(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  for (volatile int i = 0; i < 100000; ++i) {
  }
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  ocrGuid_t of, edt;
  ocrEdtTemplateCreate(&of, leaf, 0, 0);
  ocrShutdown();
  for (int i = 0; i < 20000; ++i)
    ocrEdtCreate(&edt, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  return NULL_GUID;
}
