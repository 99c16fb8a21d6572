/* SPDX-License-Identifier: Apache-2.0 */

/* An OCR program of somebody else, in C: an EDT that gets a parameter, the arguments, and a block from an event. */
#include <ocr.h>

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  ocrPrintf("C, GUIDs of %d bits: %d parameter, %d blocks, %d of %s, %d\n", GUID_BIT_COUNT, (int)paramc, (int)depc,
            (int)paramv[0], ocrGetArgv(depv[0].ptr, 1), *(int *)depv[1].ptr);
  ocrShutdown();
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  ocrGuid_t of, edt, block, event;
  int *data;
  u64 parameter = 7;
  ocrEventCreate(&event, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
  ocrEdtTemplateCreate(&of, last, 1, 2);
  ocrEdtCreate(&edt, of, EDT_PARAM_DEF, &parameter, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrAddDependence(depv[0].guid, edt, 0, DB_MODE_RO);
  ocrAddDependence(event, edt, 1, DB_MODE_RO);
  ocrDbCreate(&block, (void **)&data, sizeof *data, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *data = 42;
  ocrDbRelease(block);
  ocrEventSatisfy(event, block);
  return NULL_GUID;
}
