/* SPDX-License-Identifier: Apache-2.0 */

#include "apps/fibonacci/fib.h"

ocrGuid_t fib_add_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  *(u64 *)depv[2].ptr = *(u64 *)depv[0].ptr + *(u64 *)depv[1].ptr;
  ocrDbDestroy(depv[0].guid);
  ocrDbDestroy(depv[1].guid);
  ocrDbRelease(depv[2].guid);
  ocrEventSatisfy(((const FibParams *)paramv)->result, depv[2].guid);
  return NULL_GUID;
}

void fib_start(u64 n, const FibParams *params) {
  ocrGuid_t block, edt;
  void *data;
  ocrDbCreate(&block, &data, sizeof n, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *(u64 *)data = n;
  ocrDbRelease(block);
  ocrEdtCreate(&edt, params->fib, EDT_PARAM_DEF, (u64 *)params, EDT_PARAM_DEF, &block, EDT_PROP_NONE, NULL_HINT, NULL);
}

/* The child for n, whose result satisfies slot `slot` of the EDT `add`. */
static void make_child(u64 n, ocrGuid_t add, u32 slot, const FibParams *parent) {
  FibParams params = *parent;
  ocrEventCreate(&params.result, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
  ocrAddDependence(params.result, add, slot, DB_MODE_RO);
  fib_start(n, &params);
}

ocrGuid_t fib_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const FibParams *const own = (const FibParams *)paramv;
  const ocrGuid_t block = depv[0].guid;
  const u64 n = *(u64 *)depv[0].ptr;
  if (n < 2) {
    ocrDbRelease(block);
    ocrEventSatisfy(own->result, block);
    return NULL_GUID;
  }
  ocrGuid_t add;
  ocrEdtCreate(&add, own->add, EDT_PARAM_DEF, paramv, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrDbRelease(block);
  ocrAddDependence(block, add, 2, DB_MODE_RW);
  make_child(n - 1, add, 0, own);
  make_child(n - 2, add, 1, own);
  return NULL_GUID;
}

u64 fib_by_loop(u64 n) {
  u64 a = 0, b = 1;
  for (; n > 0; --n) {
    const u64 next = a + b;
    a = b;
    b = next;
  }
  return a;
}

u64 fib_edts(u64 n) { return 3 * fib_by_loop(n + 1) - 2; }
