/* SPDX-License-Identifier: Apache-2.0 */

/* The EDT that ends the program goes on for a while, as it may. */
#include "ocr.h"

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  ocrDbDestroy(depv[0].guid);
  ocrShutdown();
  for (volatile int i = 0; i < 50000000; ++i) {
  }
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  ocrGuid_t of;
  ocrEdtTemplateCreate(&of, last, 0, 1);
  ocrEdtCreate(NULL, of, 0, NULL, 1, &depv[0].guid, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrEdtTemplateDestroy(of);
  return NULL_GUID;
}
