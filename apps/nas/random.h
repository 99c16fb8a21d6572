/* SPDX-License-Identifier: Apache-2.0 */

/* The random numbers of the NAS Parallel Benchmarks: x[i + 1] = a x[i] modulo 2^46, as fractions of 2^46 between 0
 * and 1. Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, section 2.2. */
#pragma once

#include <stdint.h>

static const uint64_t kNasFactor = 1220703125; /* 5^13 */
static const uint64_t kNasMask = (UINT64_C(1) << 46) - 1;

static inline uint64_t nas_times(uint64_t a, uint64_t b) { return a * b & kNasMask; }

static inline uint64_t nas_power(uint64_t a, uint64_t exponent) {
  uint64_t power = 1;
  for (; exponent > 0; exponent >>= 1, a = nas_times(a, a))
    if ((exponent & 1) != 0) power = nas_times(power, a);
  return power;
}

static inline double nas_next(uint64_t* x) {
  *x = nas_times(*x, kNasFactor);
  return (double)*x * 0x1p-46;
}
