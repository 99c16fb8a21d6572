/* SPDX-License-Identifier: Apache-2.0 */

/* EDTs of all ranks call a function, and make EDTs of one, whose addresses the first rank has written into a data
 * block: in a program whose functions lie at the same addresses on all ranks. */
#define ENABLE_EXTENSION_AFFINITY
#include "ocr.h"
#include "extensions/ocr-affinity.h"

typedef struct {
  u64 (*add)(u64, u64);
  ocrEdt_t next, last;
} Model;

static u64 add(u64 a, u64 b) { return a + b; }

static void make(ocrEdt_t function, u64 number, ocrGuid_t model) {
  ocrGuid_t where, of, edt;
  ocrHint_t hint;
  u64 count = 1;
  ocrAffinityCount(AFFINITY_PD, &count);
  ocrAffinityGetAt(AFFINITY_PD, number % count, &where);
  ocrHintInit(&hint, OCR_HINT_EDT_T);
  ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(where));
  ocrEdtTemplateCreate(&of, function, 1, 1);
  ocrEdtCreate(&edt, of, 1, &number, 1, &model, EDT_PROP_NONE, &hint, NULL);
  ocrEdtTemplateDestroy(of);
}

static ocrGuid_t last(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc, (void)depv;
  PRINTF("counted up to %d\n", (int)paramv[0]);
  ocrShutdown();
  return NULL_GUID;
}

static ocrGuid_t next(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  const Model *const model = depv[0].ptr;
  (void)paramc, (void)depc;
  make(paramv[0] < 7 ? model->next : model->last, model->add(paramv[0], 1), depv[0].guid);
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  ocrGuid_t block;
  Model *model;
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  ocrDbCreate(&block, (void **)&model, sizeof *model, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  model->add = add;
  model->next = next;
  model->last = last;
  ocrDbRelease(block);
  make(next, 1, block);
  return NULL_GUID;
}
