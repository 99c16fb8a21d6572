// SPDX-License-Identifier: Apache-2.0

// For arm64: pairs of 128-bit vectors, since the stores that go around the caches (stnp) come in pairs only.
#include <arm_neon.h>

#include "platform/stream_loops.hpp"

namespace weir::platform {
namespace {

struct Pair {
  float64x2_t low, high;
};

struct Vector {
  using Value = Pair;
  static constexpr std::size_t kWidth = 4;
  static Value load(const double* p) { return {vld1q_f64(p), vld1q_f64(p + 2)}; }
  static Value load_unaligned(const std::byte* p) {
    return load(reinterpret_cast<const double*>(p));
  }  // any address will do
  static Value set(double x) { return {vdupq_n_f64(x), vdupq_n_f64(x)}; }
  static Value add(Value x, Value y) { return {vaddq_f64(x.low, y.low), vaddq_f64(x.high, y.high)}; }
  static Value mul(Value x, Value y) { return {vmulq_f64(x.low, y.low), vmulq_f64(x.high, y.high)}; }
  template <bool kNonTemporal>
  static void store(double* p, Value x) {
    if constexpr (kNonTemporal) {
      auto& target = *reinterpret_cast<double(*)[kWidth]>(p);
      asm volatile("stnp %q1, %q2, %0" : "=Ump"(target) : "w"(x.low), "w"(x.high));
    } else {
      vst1q_f64(p, x.low);
      vst1q_f64(p + 2, x.high);
    }
  }
  static void fence() {}  // they are ordered as other stores are: by what publishes them
  static double total(Value x) { return vaddvq_f64(vaddq_f64(x.low, x.high)); }
};

}  // namespace

extern const StreamKernels kNeonKernels = kernels_over<Vector>("neon", true);

}  // namespace weir::platform
