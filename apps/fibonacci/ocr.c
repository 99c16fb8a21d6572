/* SPDX-License-Identifier: Apache-2.0 */

/* Fibonacci numbers by tree recursion in OCR: `fibonacci_ocr --n N` prints fib(n) and checks it.
 *
 * fib(n) is an EDT that gets n in a data block and an event for its result. It makes two ONCE events, two blocks and
 * two EDTs for n - 1 and n - 2, and a third EDT that depends on both results, adds them into its parent's block, and
 * satisfies the parent's event. Nothing is computed without an EDT: the program measures what one costs. */
#include "apps/common/ocr_app.h"
#include "apps/fibonacci/fib.h"

/* Parameters: n, the start in nanoseconds. Slot 0: the block with the result. */
static ocrGuid_t check_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const u64 n = paramv[0], got = *(u64 *)depv[0].ptr, edts = fib_edts(n);
  const double seconds = app_seconds() - (double)paramv[1] * 1e-9;
  const bool right = got == fib_by_loop(n);
  ocrPrintf("fib(%lu) = %lu, %lu EDTs in %.3f s, %.1f ns each: %s\n", (unsigned long)n, (unsigned long)got,
            (unsigned long)edts, seconds, seconds / (double)edts * 1e9, right ? "right" : "WRONG");
  ocrDbDestroy(depv[0].guid);
  app_end(right);
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  AppOption options[] = {{"n", "which number", 25, 0, 45, NULL}, {NULL, NULL, 0, 0, 0, NULL}};
  if (!app_options(depv, "Fibonacci numbers by tree recursion, in OCR.", options)) return NULL_GUID;
  ocrGuid_t check, checker;
  FibParams params;
  ocrEdtTemplateCreate(&params.fib, fib_edt, kFibParams, kFibSlots);
  ocrEdtTemplateCreate(&params.add, fib_add_edt, kFibParams, kFibAddSlots);
  ocrEdtTemplateCreate(&check, check_edt, 2, 1);
  ocrEventCreate(&params.result, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
  u64 check_params[2] = {options[0].value, (u64)(app_seconds() * 1e9)};
  ocrEdtCreate(&checker, check, EDT_PARAM_DEF, check_params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrAddDependence(params.result, checker, 0, DB_MODE_RO);
  fib_start(options[0].value, &params);
  return NULL_GUID;
}
