/* SPDX-License-Identifier: Apache-2.0 */

/* Written for OCR 1.0: an affinity, over ranks that of the last one, stands where the API has a hint now, flags are not
 * always known ones, and modes have other names. In C++, too (ocr_1_0_cxx.cpp). */
#define OCR_GUID_SCALAR
#define OCR_MODES_1_0
#define ENABLE_EXTENSION_AFFINITY
#include "ocr.h"
#include "extensions/ocr-affinity.h"

static ocrGuid_t number(int value, ocrGuid_t where) {
  ocrGuid_t block;
  int *data;
  ocrDbCreate(&block, (void **)&data, sizeof *data, 0xdead, where, NO_ALLOC);
  *data = value;
  ocrDbRelease(block);
  return block;
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  PRINTF("value %d, modes %d %d %d\n", *(int *)depv[0].ptr, (int)depv[0].mode, (int)depv[1].mode, (int)depv[2].mode);
  ocrShutdown();
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  ocrGuid_t all[64], here, of, edt;
  u64 count = 64;
  ocrAffinityGet(AFFINITY_PD, &count, all);
  here = all[count - 1];
  ocrEdtTemplateCreate(&of, last, 0, 3);
  ocrEdtCreate(&edt, of, EDT_PARAM_DEF, NULL, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, here, NULL);
  ocrAddDependence(number(11, here), edt, 0, DB_MODE_ITW);
  ocrAddDependence(number(12, here), edt, 1, DB_MODE_RO);
  ocrAddDependence(number(13, NULL_GUID), edt, 2, DB_MODE_NCR);
  return NULL_GUID;
}
