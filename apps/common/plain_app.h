/* SPDX-License-Identifier: Apache-2.0 */

/* The frame of the programs in C, and of those in C++ that are compared with them, that have one process and no runtime
 * of processes: options and how they end. For programs of one file: everything is static. */
#pragma once

#include <stdarg.h>

#include "apps/common/app_options.h"

/* False: main() returns `status`, after --help, or because an argument is wrong. */
static inline bool app_start(int argc, char** argv, const char* purpose, AppOption* options, int* status) {
  for (int i = 1; i < argc; i += 2) {
    AppRefusal why;
    switch (app_read_word(argv[i], i + 1 < argc ? argv[i + 1] : NULL, options, &why)) {
      case kAppRun: break;
      case kAppHelp:
        app_print_options(purpose, options);
        *status = 0;
        return false;
      case kAppRefuse:
        fprintf(stderr, "%s\n", why.text);
        *status = kAppUsage;
        return false;
    }
  }
  return true;
}

/* Says what was done and whether it is right; main() returns the result. */
__attribute__((format(printf, 2, 3))) static inline int app_end(bool valid, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  printf(": %s\n", valid ? "valid" : "INVALID");
  return valid ? 0 : kAppWrong;
}

static inline void* app_private(size_t bytes, const char* what) {
  void* const memory = malloc(bytes > 0 ? bytes : 1);
  if (memory == NULL) {
    fprintf(stderr, "no %zu bytes of memory for %s\n", bytes, what);
    exit(kAppWrong);
  }
  return memory;
}
