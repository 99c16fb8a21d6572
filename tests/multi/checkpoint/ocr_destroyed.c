/* SPDX-License-Identifier: Apache-2.0 */

/* ocr_destroyed: EDTs of the last rank have data blocks of the first one, in each mode, small and large, and wait behind
   others; then the blocks are destroyed. What was given to an EDT stays what it was. */
#include <string.h>
#include <unistd.h>

#include "ocr.h"
#include "extensions/ocr-affinity.h"

enum { kWords = sizeof(ocrGuid_t) / sizeof(u64), kLarge = 200000, kModes = 4, kBlocks = 2 * kModes, kBusy = 10 };

static ocrHint_t on_last_rank(void) {
  u64 count = 0;
  ocrGuid_t where;
  ocrHint_t hint;
  ocrAffinityCount(AFFINITY_PD, &count);
  ocrAffinityGetAt(AFFINITY_PD, count - 1, &where);
  ocrHintInit(&hint, OCR_HINT_EDT_T);
  ocrSetHintValue(&hint, OCR_HINT_EDT_AFFINITY, ocrAffinityToHintValue(where));
  return hint;
}

static u64 value_at(u64 block, u64 word) { return block * 1000003 + word * 7 + 1; }

static ocrGuid_t busy(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  usleep(200000);
  return NULL_GUID;
}

/* The block is in both slots. */
static ocrGuid_t use(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const u64 *const data = depv[0].ptr;
  int right = data != NULL && depv[1].ptr == data && ocrGuidIsEq(depv[0].guid, depv[1].guid);
  for (u64 i = 0; right && i < paramv[1] / sizeof *data; ++i) right = data[i] == value_at(paramv[0], i);
  ocrPrintf("block %d: %s\n", (int)paramv[0], right ? "right" : data == NULL ? "none" : "wrong");
  return NULL_GUID;
}

static ocrGuid_t destroy_all(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc, (void)depv;
  usleep(500000);
  for (int i = 0; i < kBlocks; ++i) {
    ocrGuid_t block;
    memcpy(&block, paramv + i * kWords, sizeof block);
    ocrDbDestroy(block);
  }
  ocrPrintf("destroyed\n");
  return NULL_GUID;
}

static ocrGuid_t end(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  ocrShutdown();
  return NULL_GUID;
}

static ocrGuid_t make_block(u64 number, u64 bytes) {
  ocrGuid_t block;
  u64 *data = NULL;
  ocrDbCreate(&block, (void **)&data, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  for (u64 i = 0; i < bytes / sizeof *data; ++i) data[i] = value_at(number, i);
  ocrDbRelease(block);
  return block;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc, (void)depv;
  static const ocrDbAccessMode_t kMode[kModes] = {DB_MODE_RO, DB_MODE_CONST, DB_MODE_RW, DB_MODE_EW};
  ocrHint_t hint = on_last_rank();
  ocrGuid_t of_busy, of_use, of_destroy, of_end, edt, last, output;
  u64 blocks[kBlocks * kWords];
  ocrEdtTemplateCreate(&of_busy, busy, 0, 0);
  ocrEdtTemplateCreate(&of_use, use, 2, 2);
  ocrEdtTemplateCreate(&of_destroy, destroy_all, kBlocks * kWords, 0);
  ocrEdtTemplateCreate(&of_end, end, 0, kBlocks);
  ocrEdtCreate(&last, of_end, 0, NULL, kBlocks, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  for (int i = 0; i < kBusy; ++i) ocrEdtCreate(&edt, of_busy, 0, NULL, 0, NULL, EDT_PROP_NONE, &hint, NULL);
  for (u64 i = 0; i < kBlocks; ++i) {
    u64 params[] = {i, i < kModes ? 64 : kLarge};
    const ocrGuid_t block = make_block(i, params[1]);
    memcpy(blocks + i * kWords, &block, sizeof block);
    ocrEdtCreate(&edt, of_use, 2, params, 2, NULL, EDT_PROP_NONE, &hint, &output);
    ocrAddDependence(output, last, (u32)i, DB_MODE_NULL);
    ocrAddDependence(block, edt, 0, kMode[i % kModes]);
    ocrAddDependence(block, edt, 1, kMode[i % kModes]);
  }
  ocrEdtCreate(&edt, of_destroy, kBlocks * kWords, blocks, 0, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  return NULL_GUID;
}
