/* SPDX-License-Identifier: Apache-2.0 */

/* Written for OCR 1.0, with its own main(). */
#define OCR_GUID_SCALAR
#include <stdio.h>

#include "ocr.h"
#include "extensions/ocr-lib.h"

static ocrGuid_t satisfy(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc, (void)depv;
  ocrEventSatisfy((ocrGuid_t)paramv[0], NULL_GUID);
  return NULL_GUID;
}

int main(int argc, const char *argv[]) {
  ocrConfig_t config;
  ocrGuid_t of, edt, done;
  ocrParseArgs(argc, argv, &config);
  ocrInit(&config);
  ocrEventCreate(&done, OCR_EVENT_STICKY_T, FALSE);
  u64 event = (u64)done;
  ocrEdtTemplateCreate(&of, satisfy, 1, 0);
  ocrEdtCreate(&edt, of, EDT_PARAM_DEF, &event, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_GUID, NULL);
  const bool is_null = IS_GUID_NULL(ocrWait(done));
  ocrShutdown();
  ocrFinalize();
  printf("waited: %d\n", (int)is_null);
  return 0;
}
