/* SPDX-License-Identifier: Apache-2.0 */

/* What the programs in apps/(name)/ocr.c share: options, time, and how they end. C, and nothing but the OCR API: they
 * compile with any OCR 1.2. For functions of one file: everything is static. */
#pragma once

#include <stdarg.h>

#include "apps/common/app_options.h"
#include "ocr.h"

/* Words for numbers of u64 in the parameters of an EDT that are a struct. */
#define APP_WORDS(type) ((u32)((sizeof(type) + sizeof(u64) - 1) / sizeof(u64)))

/* Says on standard error what is wrong, and ends the program with that exit code; the caller returns. */
__attribute__((format(printf, 2, 3))) static inline void app_fail(u8 code, const char* format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "%s\n", text);
  ocrAbort(code);
}

/* A call of OCR that has to succeed: false, and the program ends, when it did not. */
static inline bool app_ok(u8 code, const char* what) {
  if (code != 0) app_fail(kAppWrong, "%s failed with code %d", what, code);
  return code == 0;
}

/* Ends the program as its result is. */
static inline void app_end(bool right) {
  fflush(stdout);
  if (right)
    ocrShutdown();
  else
    ocrAbort(kAppWrong);
}

/* What the EDTs that compare a part of the result each have found, in a data block; each writes its own element, so
 * that the result can be larger than memory. */
typedef struct AppVerdict {
  double seconds; /* when the clock was started; then what has passed */
  void* expected; /* in memory of the program's own, for parts that are compared one after the other, on one rank */
  u64 parts;
  u64 right[]; /* behind them the errors, if the program notes them */
} AppVerdict;

static inline u8 app_make_verdict(ocrGuid_t* block, u64 parts) {
  void* data;
  const u64 bytes = sizeof(AppVerdict) + parts * (sizeof(u64) + sizeof(double));
  const u8 code = ocrDbCreate(block, &data, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  if (code != 0) return code;
  memset(data, 0, bytes);
  ((AppVerdict*)data)->parts = parts;
  ((AppVerdict*)data)->seconds = app_seconds();
  return ocrDbRelease(*block);
}

/* One for each part, in the data block, so that EDTs of any rank note theirs. */
static inline double* app_errors(AppVerdict* v) { return (double*)(v->right + v->parts); }

static inline bool app_all_right(const AppVerdict* v) {
  u64 right = 0;
  for (u64 i = 0; i < v->parts; ++i) right += v->right[i];
  return right == v->parts;
}

/* The end of a program: `work`, then `check` with `params`, both finish EDTs, then `end`. Slots of all: the plan; of
 * `check` and `end` the verdict, too. */
static inline void app_run_and_check(ocrGuid_t plan, ocrGuid_t verdict, ocrEdt_t work, ocrEdt_t check, u32 paramc,
                                     u64* params, ocrEdt_t end) {
  ocrGuid_t templates[3], working, checking, ending, worked, checked;
  ocrEdtTemplateCreate(&templates[0], work, 0, 1);
  ocrEdtTemplateCreate(&templates[1], check, paramc, 3);
  ocrEdtTemplateCreate(&templates[2], end, 0, 3);
  ocrEdtCreate(&ending, templates[2], 0, NULL, 3, NULL, EDT_PROP_NONE, NULL_HINT, NULL);
  ocrEdtCreate(&checking, templates[1], paramc, params, 3, NULL, EDT_PROP_FINISH, NULL_HINT, &checked);
  ocrEdtCreate(&working, templates[0], 0, NULL, 1, NULL, EDT_PROP_FINISH, NULL_HINT, &worked);
  ocrAddDependence(checked, ending, 2, DB_MODE_NULL);
  ocrAddDependence(verdict, ending, 1, DB_MODE_RO);
  ocrAddDependence(plan, ending, 0, DB_MODE_RO);
  ocrAddDependence(worked, checking, 2, DB_MODE_NULL);
  ocrAddDependence(verdict, checking, 1, DB_MODE_RW);
  ocrAddDependence(plan, checking, 0, DB_MODE_RO);
  ocrAddDependence(plan, working, 0, DB_MODE_RO);
  for (int i = 0; i < 3; ++i) ocrEdtTemplateDestroy(templates[i]);
}

/* For `check`: an EDT that compares a part. Its parameter: the part. Slots: the plan, the verdict, the part's block. */
static inline void app_compare(ocrGuid_t compare, u64 part, const ocrEdtDep_t* depv, ocrGuid_t block) {
  ocrGuid_t edt;
  if (!app_ok(ocrEdtCreate(&edt, compare, 1, &part, 3, NULL, EDT_PROP_NONE, NULL_HINT, NULL), "ocrEdtCreate")) return;
  ocrAddDependence(depv[0].guid, edt, 0, DB_MODE_RO);
  ocrAddDependence(depv[1].guid, edt, 1, DB_MODE_RW);
  ocrAddDependence(block, edt, 2, DB_MODE_RO);
}

/* The same for one part after the other: called by the check for the first, and by the EDT of each for the next. */
static inline void app_compare_next(ocrEdt_t function, u64 part, const ocrEdtDep_t* depv, ocrGuid_t block) {
  ocrGuid_t compare;
  ocrEdtTemplateCreate(&compare, function, 1, 3);
  app_compare(compare, part, depv, block);
  ocrEdtTemplateDestroy(compare);
}

static inline bool app_read_options(void* arguments, const char* purpose, AppOption* options) {
  const u64 count = ocrGetArgc(arguments);
  for (u64 i = 1; i < count; i += 2) {
    AppRefusal why;
    switch (
        app_read_word(ocrGetArgv(arguments, i), i + 1 < count ? ocrGetArgv(arguments, i + 1) : NULL, options, &why)) {
      case kAppRun: break;
      case kAppHelp:
        app_print_options(purpose, options);
        ocrShutdown();
        return false;
      case kAppRefuse: app_fail(kAppUsage, "%s", why.text); return false;
    }
  }
  return true;
}

/* Reads the arguments that mainEdt() got into the options, the last of which has no name, and destroys their block.
 * False: the program ends, after --help, or because an argument is wrong. */
static inline bool app_options(const ocrEdtDep_t* depv, const char* purpose, AppOption* options) {
  const bool good = app_read_options(depv[0].ptr, purpose, options);
  ocrDbDestroy(depv[0].guid);
  return good;
}
