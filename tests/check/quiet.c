/* SPDX-License-Identifier: Apache-2.0 */

/* A mainEdt that has no use for its arguments, and EDTs that use what they have. Nothing may be found in it. */
#include "ocr.h"

static ocrGuid_t stop(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t depv[]) {
  *(u64*)depv[0].ptr += 1;
  ocrShutdown();
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64* paramv, u32 depc, ocrEdtDep_t depv[]) {
  ocrGuid_t of, edt, block;
  u64* word;
  ocrDbCreate(&block, (void**)&word, sizeof *word, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *word = 1;
  ocrDbRelease(block);
  ocrEdtTemplateCreate(&of, stop, 0, 1);
  ocrEdtCreate(&edt, of, 0, NULL, 1, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrEdtTemplateDestroy(of);
  ocrAddDependence(block, edt, 0, DB_MODE_RW);
  return NULL_GUID;
}
