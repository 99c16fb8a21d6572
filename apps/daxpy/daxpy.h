/* SPDX-License-Identifier: Apache-2.0 */

/* y = a x + y on vectors of whole numbers, so that the result is exact however it is cut: what serial.c, shmem.c and
 * weir.cpp have in common. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DAXPY_FACTOR 3.0
#define DAXPY_PURPOSE "DAXPY, y = a x + y, over and over: "

enum { kDaxpyN, kDaxpyRepeat };
#define DAXPY_OPTIONS                                                                                                  \
  {"n", "elements of each vector", 10000000, 1, 1000000000, NULL}, {"repeat", "how often", 20, 1, 1000, NULL}, {       \
    NULL, NULL, 0, 0, 0, NULL                                                                                          \
  }

static inline double daxpy_x(uint64_t i) { return (double)(i % 1000); }
static inline double daxpy_y(uint64_t i) { return (double)(i % 7); }

/* The elements from `first` on, `count` of them. */
static inline void daxpy_fill(double* x, double* y, uint64_t first, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) x[i] = daxpy_x(first + i), y[i] = daxpy_y(first + i);
}

static inline void daxpy(double a, const double* x, double* y, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) y[i] += a * x[i];
}

/* How many elements are not what `repeat` times give. */
static inline uint64_t daxpy_wrong(const double* y, uint64_t first, uint64_t count, uint64_t repeat) {
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < count; ++i)
    wrong += y[i] != daxpy_y(first + i) + (double)repeat * DAXPY_FACTOR * daxpy_x(first + i);
  return wrong;
}

/* The sum of all numbers i % period, for i < n. */
static inline double daxpy_sum_of_rests(uint64_t n, uint64_t period) {
  const uint64_t rest = n % period;
  return (double)(n / period) * (double)(period * (period - 1) / 2) + (double)(rest * (rest - (rest > 0)) / 2);
}

/* The sum of y at the end: exact, as what the options allow is below 2^53. */
static inline double daxpy_expected_sum(uint64_t n, uint64_t repeat) {
  return daxpy_sum_of_rests(n, 7) + (double)repeat * DAXPY_FACTOR * daxpy_sum_of_rests(n, 1000);
}

static inline double daxpy_sum(const double* y, uint64_t count) {
  double sum = 0;
  for (uint64_t i = 0; i < count; ++i) sum += y[i];
  return sum;
}

/* Bytes that have to move, in units of 10^9 a second: x and y read, y written. */
static inline double daxpy_gb_per_s(uint64_t n, uint64_t repeat, double seconds) {
  return 24.0 * (double)n * (double)repeat / seconds * 1e-9;
}
