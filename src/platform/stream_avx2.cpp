// SPDX-License-Identifier: Apache-2.0

// Compiled for avx2; called only where the CPU has it.
#include <immintrin.h>

#include "platform/stream_loops.hpp"

namespace weir::platform {
namespace {

struct Vector {
  using Value = __m256d;
  static constexpr std::size_t kWidth = 4;
  static Value load(const double* p) { return _mm256_load_pd(p); }
  static Value load_unaligned(const std::byte* p) { return _mm256_loadu_pd(reinterpret_cast<const double*>(p)); }
  static Value set(double x) { return _mm256_set1_pd(x); }
  static Value add(Value x, Value y) { return _mm256_add_pd(x, y); }
  static Value mul(Value x, Value y) { return _mm256_mul_pd(x, y); }
  template <bool kNonTemporal>
  static void store(double* p, Value x) {
    if constexpr (kNonTemporal) {
      _mm256_stream_pd(p, x);
    } else {
      _mm256_store_pd(p, x);
    }
  }
  static void fence() { _mm_sfence(); }
  static double total(Value x) {
    alignas(sizeof(Value)) double parts[kWidth];
    _mm256_store_pd(parts, x);
    double sum = 0;
    for (const double part : parts) sum += part;
    return sum;
  }
};

}  // namespace

extern const StreamKernels kAvx2Kernels = kernels_over<Vector>("avx2", true);

}  // namespace weir::platform
