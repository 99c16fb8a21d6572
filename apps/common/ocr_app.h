/* SPDX-License-Identifier: Apache-2.0 */

/* What the programs in apps/(name)/ocr.c share: options, time, and how they end. C, and nothing but the OCR API: they
 * compile with any OCR 1.2. For functions of one file: everything is static. */
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ocr.h"

enum { kAppWrong = 1, kAppUsage = 2 }; /* exit codes */

/* --name VALUE: a whole number from `least` to `most`; or, with `choices`, one of these words, whose index is the
 * value. `value` is the default at first. */
typedef struct AppOption {
  const char *name, *help;
  u64 value, least, most;
  const char *const *choices; /* ends with NULL */
} AppOption;

/* Words for numbers of u64 in the parameters of an EDT that are a struct. */
#define APP_WORDS(type) ((u32)((sizeof(type) + sizeof(u64) - 1) / sizeof(u64)))

static inline double app_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Says on standard error what is wrong, and ends the program with that exit code; the caller returns. */
__attribute__((format(printf, 2, 3))) static inline void app_fail(u8 code, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "%s\n", text);
  ocrAbort(code);
}

/* A call of OCR that has to succeed: false, and the program ends, when it did not. */
static inline bool app_ok(u8 code, const char *what) {
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
  void *expected; /* in memory of the program's own, for parts that are compared one after the other */
  u64 parts;
  u64 right[];
} AppVerdict;

static inline u8 app_make_verdict(ocrGuid_t *block, u64 parts) {
  void *data;
  const u64 bytes = sizeof(AppVerdict) + parts * sizeof(u64);
  const u8 code = ocrDbCreate(block, &data, bytes, DB_PROP_NONE, NULL_HINT, NO_ALLOC);
  if (code != 0) return code;
  memset(data, 0, bytes);
  ((AppVerdict *)data)->parts = parts;
  ((AppVerdict *)data)->seconds = app_seconds();
  return ocrDbRelease(*block);
}

static inline bool app_all_right(const AppVerdict *v) {
  u64 right = 0;
  for (u64 i = 0; i < v->parts; ++i) right += v->right[i];
  return right == v->parts;
}

/* The end of a program: `work`, then `check` with `params`, both finish EDTs, then `end`. Slots of all: the plan; of
 * `check` and `end` the verdict, too. */
static inline void app_run_and_check(ocrGuid_t plan, ocrGuid_t verdict, ocrEdt_t work, ocrEdt_t check, u32 paramc,
                                     u64 *params, ocrEdt_t end) {
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
static inline void app_compare(ocrGuid_t compare, u64 part, const ocrEdtDep_t *depv, ocrGuid_t block) {
  ocrGuid_t edt;
  if (!app_ok(ocrEdtCreate(&edt, compare, 1, &part, 3, NULL, EDT_PROP_NONE, NULL_HINT, NULL), "ocrEdtCreate")) return;
  ocrAddDependence(depv[0].guid, edt, 0, DB_MODE_RO);
  ocrAddDependence(depv[1].guid, edt, 1, DB_MODE_RW);
  ocrAddDependence(block, edt, 2, DB_MODE_RO);
}

/* The same for one part after the other: called by the check for the first, and by the EDT of each for the next. */
static inline void app_compare_next(ocrEdt_t function, u64 part, const ocrEdtDep_t *depv, ocrGuid_t block) {
  ocrGuid_t compare;
  ocrEdtTemplateCreate(&compare, function, 1, 3);
  app_compare(compare, part, depv, block);
  ocrEdtTemplateDestroy(compare);
}

static inline void app_print_option(const AppOption *o) {
  if (o->choices == NULL) {
    ocrPrintf("  --%-12s %s; %llu to %llu, default %llu\n", o->name, o->help, (unsigned long long)o->least,
              (unsigned long long)o->most, (unsigned long long)o->value);
    return;
  }
  char words[256] = "";
  for (const char *const *choice = o->choices; *choice != NULL; ++choice) {
    const size_t length = strlen(words);
    snprintf(words + length, sizeof words - length, "%s%s", choice == o->choices ? "" : ", ", *choice);
  }
  ocrPrintf("  --%-12s %s; %s, default %s\n", o->name, o->help, words, o->choices[o->value]);
}

static inline bool app_read_value(AppOption *o, const char *text) {
  if (o->choices != NULL) {
    for (u64 i = 0; o->choices[i] != NULL; ++i) {
      if (strcmp(o->choices[i], text) == 0) {
        o->value = i;
        return true;
      }
    }
    return false;
  }
  char *end;
  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < o->least || value > o->most) return false;
  o->value = value;
  return true;
}

static inline void app_refuse(const AppOption *o, const char *text) {
  if (o->choices != NULL)
    app_fail(kAppUsage, "--%s %s: there is no such choice; --help lists them", o->name, text);
  else
    app_fail(kAppUsage, "--%s %s: it must be a whole number from %llu to %llu", o->name, text,
             (unsigned long long)o->least, (unsigned long long)o->most);
}

static inline bool app_read_options(void *arguments, const char *purpose, AppOption *options) {
  const u64 count = ocrGetArgc(arguments);
  for (u64 i = 1; i < count; i += 2) {
    const char *const word = ocrGetArgv(arguments, i);
    if (strcmp(word, "--help") == 0) {
      ocrPrintf("%s\n", purpose);
      for (const AppOption *o = options; o->name != NULL; ++o) app_print_option(o);
      ocrShutdown();
      return false;
    }
    AppOption *found = options;
    while (found->name != NULL && (strncmp(word, "--", 2) != 0 || strcmp(word + 2, found->name) != 0)) ++found;
    if (found->name == NULL) {
      app_fail(kAppUsage, "%s: there is no such option; --help lists them", word);
      return false;
    }
    if (i + 1 == count) {
      app_fail(kAppUsage, "%s: its value is missing; --help lists what it may be", word);
      return false;
    }
    if (!app_read_value(found, ocrGetArgv(arguments, i + 1))) {
      app_refuse(found, ocrGetArgv(arguments, i + 1));
      return false;
    }
  }
  return true;
}

/* Reads the arguments that mainEdt() got into the options, the last of which has no name, and destroys their block.
 * False: the program ends, after --help, or because an argument is wrong. */
static inline bool app_options(const ocrEdtDep_t *depv, const char *purpose, AppOption *options) {
  const bool good = app_read_options(depv[0].ptr, purpose, options);
  ocrDbDestroy(depv[0].guid);
  return good;
}
