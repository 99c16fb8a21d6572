/* Fibonacci numbers by tree recursion in OCR: `fibonacci [n]` prints fib(n) and checks it.
 *
 * fib(n) is an EDT that gets n in a data block and an event for its result. It makes two ONCE events, two blocks and two
 * EDTs for n - 1 and n - 2, and a third EDT that depends on both results, adds them into its parent's block, and
 * satisfies the parent's event. Nothing is computed without an EDT: the program measures what one costs. */
#include <stdlib.h>
#include <time.h>

#include "ocr.h"

enum { kDefaultN = 25 };

static ocrGuid_t guid_of(u64 word) {
  ocrGuid_t guid = NULL_GUID;
  GUIDA(guid) = (intptr_t)word;
  return guid;
}

static u64 word_of(ocrGuid_t guid) { return (u64)GUIDA(guid); }

/* Parameters of both: the event for the result, the templates of fib_edt and add_edt. */
enum { kResult, kFib, kAdd, kParams };

/* Slots: the two results, the block of the parent. */
static ocrGuid_t add_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  *(u64 *)depv[2].ptr = *(u64 *)depv[0].ptr + *(u64 *)depv[1].ptr;
  ocrDbDestroy(depv[0].guid);
  ocrDbDestroy(depv[1].guid);
  ocrDbRelease(depv[2].guid);
  ocrEventSatisfy(guid_of(paramv[kResult]), depv[2].guid);
  return NULL_GUID;
}

/* The child for n, whose result satisfies slot `slot` of the EDT `add`. */
static void make_child(u64 n, ocrGuid_t add, u32 slot, const u64 *paramv) {
  ocrGuid_t result, block, child;
  u64 *data;
  ocrEventCreate(&result, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
  ocrAddDependence(result, add, slot, DB_MODE_RO);
  ocrDbCreate(&block, (void **)&data, sizeof *data, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *data = n;
  ocrDbRelease(block);
  u64 params[kParams] = {word_of(result), paramv[kFib], paramv[kAdd]};
  ocrEdtCreate(&child, guid_of(paramv[kFib]), EDT_PARAM_DEF, params, EDT_PARAM_DEF, &block, EDT_PROP_NONE, NULL_HINT,
               NULL);
}

static ocrGuid_t fib_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const ocrGuid_t block = depv[0].guid;
  const u64 n = *(u64 *)depv[0].ptr;
  if (n < 2) {
    ocrDbRelease(block);
    ocrEventSatisfy(guid_of(paramv[kResult]), block);
    return NULL_GUID;
  }
  ocrGuid_t add;
  ocrEdtCreate(&add, guid_of(paramv[kAdd]), EDT_PARAM_DEF, paramv, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrDbRelease(block);
  ocrAddDependence(block, add, 2, DB_MODE_RW);
  make_child(n - 1, add, 0, paramv);
  make_child(n - 2, add, 1, paramv);
  return NULL_GUID;
}

static u64 serial_fib(u64 n) {
  u64 a = 0, b = 1;
  for (; n > 0; --n) {
    const u64 next = a + b;
    a = b;
    b = next;
  }
  return a;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Parameters: n, the start in nanoseconds. Slot 0: the block with the result. */
static ocrGuid_t check_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const u64 n = paramv[0], got = *(u64 *)depv[0].ptr, expected = serial_fib(n);
  const double elapsed = seconds() - (double)paramv[1] * 1e-9;
  const double edts = 3.0 * (double)serial_fib(n + 1) - 2.0; /* calls, and an add for each that is not a leaf */
  ocrPrintf("fib(%d) = %lu, %.0f EDTs in %.3f s, %.1f ns each: %s\n", (int)n, (unsigned long)got, edts, elapsed,
            elapsed / edts * 1e9, got == expected ? "right" : "WRONG");
  if (got == expected)
    ocrShutdown();
  else
    ocrAbort(1);
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  const u64 n = ocrGetArgc(depv[0].ptr) > 1 ? strtoull(ocrGetArgv(depv[0].ptr, 1), NULL, 10) : kDefaultN;
  ocrGuid_t fib, add, check, checker, result, block, root;
  u64 *data;
  ocrEdtTemplateCreate(&fib, fib_edt, kParams, 1);
  ocrEdtTemplateCreate(&add, add_edt, kParams, 3);
  ocrEdtTemplateCreate(&check, check_edt, 2, 1);
  u64 check_params[2] = {n, (u64)(seconds() * 1e9)};
  ocrEdtCreate(&checker, check, EDT_PARAM_DEF, check_params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrEventCreate(&result, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
  ocrAddDependence(result, checker, 0, DB_MODE_RO);
  ocrDbCreate(&block, (void **)&data, sizeof *data, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *data = n;
  ocrDbRelease(block);
  u64 params[kParams] = {word_of(result), word_of(fib), word_of(add)};
  ocrEdtCreate(&root, fib, EDT_PARAM_DEF, params, EDT_PARAM_DEF, &block, EDT_PROP_NONE, NULL_HINT, NULL);
  return NULL_GUID;
}
