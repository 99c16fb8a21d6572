// SPDX-License-Identifier: Apache-2.0

// The innermost loops of the kernels, for one instruction set: included by loops_*.cpp, each compiled with its own
// flags.
//
// A non-temporal store goes around the caches, 16 bytes at a time, where the processor has one; it needs what is
// written to be aligned to 16 bytes, which rows and tiles of an even number of doubles are.
#pragma once

#include "bench/prk/loops.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace weir::prk {
namespace {  // of each file its own, with its own flags

#if defined(__SSE2__)
inline void put(double* to, __m128d value, bool around) {
  if (around) {
    _mm_stream_pd(to, value);
  } else {
    _mm_storeu_pd(to, value);
  }
}
inline void finish(bool around) {
  if (around) _mm_sfence();
}
#else
inline void finish(bool) {}
#endif

// to[i] += value(i). Ordinary stores are left to the compiler's vectors.
template <class Value>
inline void accumulate(double* to, std::size_t count, [[maybe_unused]] bool around, Value value) {
#if defined(__SSE2__)
  if (around) {
    for (std::size_t i = 0; i + 2 <= count; i += 2) {
      put(to + i, _mm_set_pd(to[i + 1] + value(i + 1), to[i] + value(i)), true);
    }
    return;
  }
#endif
  for (std::size_t i = 0; i < count; ++i) to[i] += value(i);
}

void nstream(double* __restrict a, const double* __restrict b, const double* __restrict c, double s, std::size_t count,
             bool around) {
  accumulate(a, count, around, [=](std::size_t i) { return b[i] + s * c[i]; });
  finish(around);
}

// Weights as the kernel defines them: 1/(2 i r) at distance i, positive to the right and below.
void star(double* __restrict out, const double* __restrict in, std::size_t stride, std::size_t count, bool around) {
  constexpr double w1 = 1.0 / (2 * 1 * kRadius), w2 = 1.0 / (2 * 2 * kRadius), w3 = 1.0 / (2 * 3 * kRadius),
                   w4 = 1.0 / (2 * 4 * kRadius);
  const double* const up1 = in - stride;
  const double* const up2 = in - 2 * stride;
  const double* const up3 = in - 3 * stride;
  const double* const up4 = in - 4 * stride;
  const double* const down1 = in + stride;
  const double* const down2 = in + 2 * stride;
  const double* const down3 = in + 3 * stride;
  const double* const down4 = in + 4 * stride;
  accumulate(out, count, around, [=](std::size_t j) {
    return w1 * (in[j + 1] - in[j - 1] + down1[j] - up1[j]) + w2 * (in[j + 2] - in[j - 2] + down2[j] - up2[j]) +
           w3 * (in[j + 3] - in[j - 3] + down3[j] - up3[j]) + w4 * (in[j + 4] - in[j - 4] + down4[j] - up4[j]);
  });
}

void add_one(double* __restrict a, std::size_t count, bool around) {
  accumulate(a, count, around, [](std::size_t) { return 1.0; });
}

void transpose(double* __restrict a, double* __restrict b, std::size_t order, std::size_t rows, std::size_t columns,
               bool around) {
  for (std::size_t j = 0; j < columns; ++j) {
    const double* const column = a + j;
    accumulate(b + j * order, rows, around, [=](std::size_t i) { return column[i * order]; });
  }
  for (std::size_t i = 0; i < rows; ++i) add_one(a + i * order, columns, around);
  finish(around);
}

// Four rows of c at a time, so that a row of b is loaded once for them.
void multiply(double* __restrict c, const double* __restrict a, const double* __restrict b, std::size_t order,
              std::size_t n) {
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    double* const c0 = c + i * order;
    double* const c1 = c0 + order;
    double* const c2 = c1 + order;
    double* const c3 = c2 + order;
    const double* const a0 = a + i * order;
    for (std::size_t k = 0; k < n; ++k) {
      const double x0 = a0[k], x1 = a0[k + order], x2 = a0[k + 2 * order], x3 = a0[k + 3 * order];
      const double* const row = b + k * order;
      for (std::size_t j = 0; j < n; ++j) {
        c0[j] += x0 * row[j];
        c1[j] += x1 * row[j];
        c2[j] += x2 * row[j];
        c3[j] += x3 * row[j];
      }
    }
  }
  for (; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) c[i * order + j] += a[i * order + k] * b[k * order + j];
    }
  }
}

}  // namespace
}  // namespace weir::prk
