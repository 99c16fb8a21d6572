/* SPDX-License-Identifier: Apache-2.0 */

/* The options of the programs in C: apps/(name)/ocr.c and apps/(name)/shmem.c. Nothing of any runtime. For programs of
 * one file: everything is static. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kAppWrong = 1, kAppUsage = 2 }; /* exit codes */

/* --name VALUE: a whole number from `least` to `most`; or, with `choices`, one of these words, whose index is the
 * value. `value` is the default at first. */
typedef struct AppOption {
  const char *name, *help;
  uint64_t value, least, most;
  const char* const* choices; /* ends with NULL */
} AppOption;

/* As `choices`: any text. The default is app_as_value() of one. */
static const char* const kAppAnyText[] = {NULL};
static inline uint64_t app_as_value(const char* text) { return (uint64_t)(uintptr_t)text; }
static inline const char* app_text(const AppOption* o) { return (const char*)(uintptr_t)o->value; }

/* What the words of a command line ask for. */
typedef enum AppAsked { kAppRun, kAppHelp, kAppRefuse } AppAsked;

typedef struct AppRefusal {
  char text[512];
} AppRefusal;

static inline double app_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline void app_print_option(const AppOption* o) {
  if (o->choices == kAppAnyText) {
    printf("  --%-12s %s; default %s\n", o->name, o->help, app_text(o));
    return;
  }
  if (o->choices == NULL) {
    printf("  --%-12s %s; %llu to %llu, default %llu\n", o->name, o->help, (unsigned long long)o->least,
           (unsigned long long)o->most, (unsigned long long)o->value);
    return;
  }
  printf("  --%-12s %s; ", o->name, o->help);
  for (const char* const* choice = o->choices; *choice != NULL; ++choice)
    printf("%s%s", choice == o->choices ? "" : ", ", *choice);
  printf(", default %s\n", o->choices[o->value]);
}

static inline void app_print_options(const char* purpose, const AppOption* options) {
  printf("%s\n", purpose);
  for (const AppOption* o = options; o->name != NULL; ++o) app_print_option(o);
}

static inline bool app_read_value(AppOption* o, const char* text) {
  if (o->choices == kAppAnyText) {
    o->value = app_as_value(text);
    return text[0] != '\0';
  }
  if (o->choices != NULL) {
    for (uint64_t i = 0; o->choices[i] != NULL; ++i) {
      if (strcmp(o->choices[i], text) == 0) {
        o->value = i;
        return true;
      }
    }
    return false;
  }
  char* end;
  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < o->least || value > o->most) return false;
  o->value = value;
  return true;
}

static inline AppAsked app_refuse_value(const AppOption* o, const char* text, AppRefusal* why) {
  if (o->choices == kAppAnyText)
    snprintf(why->text, sizeof why->text, "--%s: its value is empty; --help lists what it may be", o->name);
  else if (o->choices != NULL)
    snprintf(why->text, sizeof why->text, "--%s %s: there is no such choice; --help lists them", o->name, text);
  else
    snprintf(why->text, sizeof why->text, "--%s %s: it must be a whole number from %llu to %llu", o->name, text,
             (unsigned long long)o->least, (unsigned long long)o->most);
  return kAppRefuse;
}

/* One word of the command line, and the value behind it, NULL when it is the last. */
static inline AppAsked app_read_word(const char* word, const char* value, AppOption* options, AppRefusal* why) {
  if (strcmp(word, "--help") == 0) return kAppHelp;
  AppOption* found = options;
  while (found->name != NULL && (strncmp(word, "--", 2) != 0 || strcmp(word + 2, found->name) != 0)) ++found;
  if (found->name == NULL) {
    snprintf(why->text, sizeof why->text, "%s: there is no such option; --help lists them", word);
    return kAppRefuse;
  }
  if (value == NULL) {
    snprintf(why->text, sizeof why->text, "%s: its value is missing; --help lists what it may be", word);
    return kAppRefuse;
  }
  return app_read_value(found, value) ? kAppRun : app_refuse_value(found, value, why);
}
