/* SPDX-License-Identifier: Apache-2.0 */

/* What the programs in apps/(name)/shmem.c share: start, options, time, sums over all PEs, and how they end. C, and
 * nothing but OpenSHMEM 1.4, with the teams of 1.5 where the library has them: they compile with any OpenSHMEM. For
 * programs of one file: everything is static, and so are the arrays that reductions work on, which makes them
 * symmetric.
 *
 * What is said here to be collective is called by all PEs. */
#pragma once

#include <shmem.h>
#include <stdarg.h>

#include "apps/common/app_options.h"

#if SHMEM_MAJOR_VERSION > 1 || SHMEM_MINOR_VERSION >= 5
#define APP_HAS_TEAMS 1
#else
#define APP_HAS_TEAMS 0
#endif

enum { kAppMostValues = 64 }; /* that one reduction takes */

/* Collective: ends the program with kAppUsage, and PE 0 says why; main() returns the result. */
__attribute__((format(printf, 1, 2))) static inline int app_refuse(const char* format, ...) {
  if (shmem_my_pe() == 0) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
  }
  shmem_finalize();
  return kAppUsage;
}

/* Ends all PEs at once, from any one. */
__attribute__((format(printf, 1, 2), noreturn)) static inline void app_fail(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "PE %d: ", shmem_my_pe());
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  shmem_global_exit(kAppWrong);
  abort();
}

/* Symmetric memory, as it comes. Collective; ends the program where there is not enough. */
static inline void* app_symmetric(size_t bytes, const char* what) {
  void* const memory = shmem_malloc(bytes > 0 ? bytes : 1);
  if (memory == NULL)
    app_fail("no %zu bytes of symmetric memory for %s: give more by SHMEM_SYMMETRIC_SIZE, or a smaller problem", bytes,
             what);
  return memory;
}

/* Memory of this PE's own. */
static inline void* app_private(size_t bytes, const char* what) {
  void* const memory = malloc(bytes > 0 ? bytes : 1);
  if (memory == NULL) app_fail("no %zu bytes of memory for %s", bytes, what);
  return memory;
}

#if APP_HAS_TEAMS
static inline void app_start_reductions(void) {}
#define APP_REDUCE(typename, op, to, from, count) shmem_##typename##_##op##_reduce(SHMEM_TEAM_WORLD, to, from, count)
#else
static long app_sync[SHMEM_REDUCE_SYNC_SIZE];
static inline void app_start_reductions(void) {
  for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i) app_sync[i] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
}
#define APP_REDUCE(typename, op, to, from, count)                                                                      \
  shmem_##typename##_##op##_to_all(to, from, (int)(count), 0, 0, shmem_n_pes(), work, app_sync)
#endif

/* app_NAME(values, count): each of at most kAppMostValues values becomes that of all PEs together. Collective. */
#define APP_REDUCTION(name, type, typename, op)                                                                        \
  static inline void app_##name(type* values, size_t count) {                                                          \
    static type from[kAppMostValues], to[kAppMostValues], work[kAppMostValues + SHMEM_REDUCE_MIN_WRKDATA_SIZE];        \
    if (count > kAppMostValues) app_fail("app_" #name " of %zu values, of at most %d", count, (int)kAppMostValues);    \
    memcpy(from, values, count * sizeof *values);                                                                      \
    (void)work;                                                                                                        \
    shmem_barrier_all(); /* none reads what the one before has left, or is still in it */                              \
    APP_REDUCE(typename, op, to, from, count);                                                                         \
    memcpy(values, to, count * sizeof *values);                                                                        \
  }
APP_REDUCTION(sums, double, double, sum)
APP_REDUCTION(maxima, double, double, max)
APP_REDUCTION(minima, double, double, min)
APP_REDUCTION(whole_sums, long long, longlong, sum)

static inline double app_sum(double value) {
  app_sums(&value, 1);
  return value;
}
static inline double app_max(double value) {
  app_maxima(&value, 1);
  return value;
}
static inline double app_min(double value) {
  app_minima(&value, 1);
  return value;
}
static inline long long app_whole_sum(long long value) {
  app_whole_sums(&value, 1);
  return value;
}

/* "1 PE", "4 PEs". */
static inline const char* app_pes(void) {
  static char text[32];
  snprintf(text, sizeof text, "%d PE%s", shmem_n_pes(), shmem_n_pes() == 1 ? "" : "s");
  return text;
}

/* What a measurement begins and ends with: all PEs have come here. Collective. */
static inline double app_now(void) {
  shmem_barrier_all();
  return app_seconds();
}

/* Where the part of a PE begins when `n` things are dealt out in order; that of the next is its end. */
static inline uint64_t app_first(uint64_t n, int pes, int pe) {
  return n / (uint64_t)pes * (uint64_t)pe + (n % (uint64_t)pes < (uint64_t)pe ? n % (uint64_t)pes : (uint64_t)pe);
}

/* Collective. False: the program ends with `status`, after --help, or because an argument is wrong. */
static inline bool app_start(int argc, char** argv, const char* purpose, AppOption* options, int* status) {
  shmem_init();
  app_start_reductions();
  for (int i = 1; i < argc; i += 2) {
    AppRefusal why;
    switch (app_read_word(argv[i], i + 1 < argc ? argv[i + 1] : NULL, options, &why)) {
      case kAppRun: break;
      case kAppHelp:
        if (shmem_my_pe() == 0) app_print_options(purpose, options);
        fflush(stdout);
        shmem_finalize();
        *status = 0;
        return false;
      case kAppRefuse: *status = app_refuse("%s", why.text); return false;
    }
  }
  return true;
}

/* Collective: the program ends as the results of all PEs are; PE 0 says what was done and whether it is right. main()
 * returns the result. */
__attribute__((format(printf, 2, 3))) static inline int app_end(bool right, const char* format, ...) {
  const bool valid = app_whole_sum(!right) == 0;
  if (shmem_my_pe() == 0) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf(": %s\n", valid ? "valid" : "INVALID");
    fflush(stdout);
  }
  shmem_finalize();
  return valid ? 0 : kAppWrong;
}
