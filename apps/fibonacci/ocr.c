/* Fibonacci numbers by tree recursion in OCR: `fibonacci_ocr --n N` prints fib(n) and checks it.
 *
 * fib(n) is an EDT that gets n in a data block and an event for its result. It makes two ONCE events, two blocks and
 * two EDTs for n - 1 and n - 2, and a third EDT that depends on both results, adds them into its parent's block, and
 * satisfies the parent's event. Nothing is computed without an EDT: the program measures what one costs. */
#include "apps/common/ocr_app.h"

/* Parameters of both: the event for the result, the templates of fib_edt and add_edt. */
typedef struct Params {
  ocrGuid_t result, fib, add;
} Params;

/* Slots: the two results, the block of the parent. */
static ocrGuid_t add_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  *(u64 *)depv[2].ptr = *(u64 *)depv[0].ptr + *(u64 *)depv[1].ptr;
  ocrDbDestroy(depv[0].guid);
  ocrDbDestroy(depv[1].guid);
  ocrDbRelease(depv[2].guid);
  ocrEventSatisfy(((const Params *)paramv)->result, depv[2].guid);
  return NULL_GUID;
}

/* The child for n, whose result satisfies slot `slot` of the EDT `add`. */
static void make_child(u64 n, ocrGuid_t add, u32 slot, const Params *parent) {
  ocrGuid_t result, block, child;
  u64 *data;
  ocrEventCreate(&result, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
  ocrAddDependence(result, add, slot, DB_MODE_RO);
  ocrDbCreate(&block, (void **)&data, sizeof *data, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *data = n;
  ocrDbRelease(block);
  Params params = {result, parent->fib, parent->add};
  ocrEdtCreate(&child, parent->fib, EDT_PARAM_DEF, (u64 *)&params, EDT_PARAM_DEF, &block, EDT_PROP_NONE, NULL_HINT,
               NULL);
}

static ocrGuid_t fib_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const Params *const own = (const Params *)paramv;
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

static u64 serial_fib(u64 n) {
  u64 a = 0, b = 1;
  for (; n > 0; --n) {
    const u64 next = a + b;
    a = b;
    b = next;
  }
  return a;
}

/* Parameters: n, the start in nanoseconds. Slot 0: the block with the result. */
static ocrGuid_t check_edt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)depc;
  const u64 n = paramv[0], got = *(u64 *)depv[0].ptr, expected = serial_fib(n);
  const double elapsed = app_seconds() - (double)paramv[1] * 1e-9;
  const double edts = 3.0 * (double)serial_fib(n + 1) - 2.0; /* calls, and an add for each that is not a leaf */
  ocrPrintf("fib(%d) = %lu, %.0f EDTs in %.3f s, %.1f ns each: %s\n", (int)n, (unsigned long)got, edts, elapsed,
            elapsed / edts * 1e9, got == expected ? "right" : "WRONG");
  ocrDbDestroy(depv[0].guid);
  app_end(got == expected);
  return NULL_GUID;
}

ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]) {
  (void)paramc, (void)paramv, (void)depc;
  AppOption options[] = {{"n", "which number", 25, 0, 45, NULL}, {NULL, NULL, 0, 0, 0, NULL}};
  if (!app_options(depv[0].ptr, "Fibonacci numbers by tree recursion, in OCR.", options)) return NULL_GUID;
  const u64 n = options[0].value;
  ocrGuid_t fib, add, check, checker, result, block, root;
  u64 *data;
  ocrEdtTemplateCreate(&fib, fib_edt, APP_WORDS(Params), 1);
  ocrEdtTemplateCreate(&add, add_edt, APP_WORDS(Params), 3);
  ocrEdtTemplateCreate(&check, check_edt, 2, 1);
  u64 check_params[2] = {n, (u64)(app_seconds() * 1e9)};
  ocrEdtCreate(&checker, check, EDT_PARAM_DEF, check_params, EDT_PARAM_DEF, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrEventCreate(&result, OCR_EVENT_ONCE_T, EVT_PROP_TAKES_ARG);
  ocrAddDependence(result, checker, 0, DB_MODE_RO);
  ocrDbCreate(&block, (void **)&data, sizeof *data, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  *data = n;
  ocrDbRelease(block);
  Params params = {result, fib, add};
  ocrEdtCreate(&root, fib, EDT_PARAM_DEF, (u64 *)&params, EDT_PARAM_DEF, &block, EDT_PROP_NONE, NULL_HINT, NULL);
  return NULL_GUID;
}
