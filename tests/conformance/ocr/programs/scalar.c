/* SPDX-License-Identifier: Apache-2.0 */

/* Written for OCR 1.0: a GUID is an integer. */
#define OCR_GUID_SCALAR
#include "ocr.h"

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  PRINTF("%d %d\n", (int)paramv[0], *(int *)depv[0].ptr);
  if (depv[0].guid == 0 || IS_GUID_NULL(depv[0].guid)) ocrAbort(3);
  ocrShutdown();
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  ocrGuid_t of, edt, block = 0;
  int *data;
  u64 param = 6;
  ocrDbCreate(&block, (void **)&data, sizeof *data, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *data = 7;
  ocrDbRelease(block);
  ocrEdtTemplateCreate(&of, last, 1, 1);
  ocrEdtCreate(&edt, of, EDT_PARAM_DEF, &param, EDT_PARAM_DEF, &block, EDT_PROP_NONE, NULL_HINT, NULL);
  return NULL_GUID;
}
