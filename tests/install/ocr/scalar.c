/* SPDX-License-Identifier: Apache-2.0 */

/* Written for OCR 1.0: a GUID is an integer, and modes have their old names. */
#include <ocr.h>

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv;
  PRINTF("%d %d\n", depv[0].guid != 0, (int)depc);
  ocrShutdown();
  return 0;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  ocrGuid_t of, edt;
  ocrEdtTemplateCreate(&of, last, 0, 2);
  ocrEdtCreate(&edt, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_GUID, NULL);
  ocrAddDependence(depv[0].guid, edt, 0, DB_MODE_ITW);
  ocrAddDependence(NULL_GUID, edt, 1, DB_MODE_NCR);
  return 0;
}
