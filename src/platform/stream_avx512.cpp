// SPDX-License-Identifier: Apache-2.0

// Compiled for avx512; called only where the CPU has it.
#include <immintrin.h>

#include "platform/stream_loops.hpp"

namespace weir::platform {
namespace {

struct Vector {
  using Value = __m512d;
  static constexpr std::size_t kWidth = 8;
  static Value load(const double* p) { return _mm512_load_pd(p); }
  static Value load_unaligned(const std::byte* p) { return _mm512_loadu_pd(reinterpret_cast<const double*>(p)); }
  static Value set(double x) { return _mm512_set1_pd(x); }
  static Value add(Value x, Value y) { return _mm512_add_pd(x, y); }
  static Value mul(Value x, Value y) { return _mm512_mul_pd(x, y); }
  template <bool kNonTemporal>
  static void store(double* p, Value x) {
    if constexpr (kNonTemporal) {
      _mm512_stream_pd(p, x);
    } else {
      _mm512_store_pd(p, x);
    }
  }
  static void fence() { _mm_sfence(); }
  static double total(Value x) {
    alignas(sizeof(Value)) double parts[kWidth];
    _mm512_store_pd(parts, x);
    double sum = 0;
    for (const double part : parts) sum += part;
    return sum;
  }
};

}  // namespace

extern const StreamKernels kAvx512Kernels = kernels_over<Vector>("avx512", true);

}  // namespace weir::platform
