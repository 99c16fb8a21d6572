/* SPDX-License-Identifier: Apache-2.0 */

/* Cases of a chapter of the specification. All PEs run all cases, in order, with a barrier between them; a check that does
 * not hold is printed with its PE, and the program then ends with status 1. */
#ifndef WEIR_TESTS_CONFORMANCE_SHMEM_CHECK_H
#define WEIR_TESTS_CONFORMANCE_SHMEM_CHECK_H

#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test_case {
  const char *name;
  void (*run)(void);
};
#define CASE(name) {#name, name}
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int failures;
static const char *running;
static int me, n_pes, next, previous; /* PEs in a ring */

#define CHECK(condition) check((condition) != 0, __FILE__, __LINE__, #condition)
static void check(int holds, const char *file, int line, const char *text) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "PE %d of %d: %s: %s:%d: %s\n", me, n_pes, running, file, line, text);
}

static int run_cases(const struct test_case *cases, size_t n) {
  size_t i;
  me = shmem_my_pe();
  n_pes = shmem_n_pes();
  next = (me + 1) % n_pes;
  previous = (me + n_pes - 1) % n_pes;
  for (i = 0; i < n; ++i) {
    running = cases[i].name;
    cases[i].run();
    shmem_barrier_all();
  }
  return failures != 0;
}

/* A whole program. */
#define CHAPTER(...)                                         \
  static const struct test_case all_cases[] = {__VA_ARGS__}; \
  int main(void) {                                           \
    int status;                                              \
    shmem_init();                                            \
    status = run_cases(all_cases, COUNT(all_cases));         \
    shmem_finalize();                                        \
    return status;                                           \
  }

/* The types of the specification's tables: X(name, type). */
#define STANDARD_RMA_TYPES(X)                                                                                         \
  X(float, float) X(double, double) X(longdouble, long double) X(char, char) X(schar, signed char) X(short, short)    \
  X(int, int) X(long, long) X(longlong, long long) X(uchar, unsigned char) X(ushort, unsigned short)                  \
  X(uint, unsigned) X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int8, int8_t) X(int16, int16_t)        \
  X(int32, int32_t) X(int64, int64_t) X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t) X(uint64, uint64_t)   \
  X(size, size_t) X(ptrdiff, ptrdiff_t)
#define STANDARD_AMO_TYPES(X)                                                                                         \
  X(int, int) X(long, long) X(longlong, long long) X(uint, unsigned) X(ulong, unsigned long)                          \
  X(ulonglong, unsigned long long) X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t)        \
  X(size, size_t) X(ptrdiff, ptrdiff_t)
#define EXTENDED_AMO_TYPES(X) STANDARD_AMO_TYPES(X) X(float, float) X(double, double)
#define BITWISE_AMO_TYPES(X)                                                                                          \
  X(uint, unsigned) X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int32, int32_t) X(int64, int64_t)      \
  X(uint32, uint32_t) X(uint64, uint64_t)

#endif
