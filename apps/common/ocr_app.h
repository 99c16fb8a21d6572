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
