// SPDX-License-Identifier: Apache-2.0

// For processors without a file of their own: the compiler's vectors, ordinary stores only.
#include "platform/stream_loops.hpp"

namespace weir::platform {
namespace {

struct Vector {
  using Value = double;
  static constexpr std::size_t kWidth = 1;
  static Value load(const double* p) { return *p; }
  static Value load_unaligned(const std::byte* p) {
    Value value;
    std::memcpy(&value, p, sizeof value);
    return value;
  }
  static Value set(double x) { return x; }
  static Value add(Value x, Value y) { return x + y; }
  static Value mul(Value x, Value y) { return x * y; }
  template <bool>
  static void store(double* p, Value x) {
    *p = x;
  }
  static void fence() {}
  static double total(Value x) { return x; }
};

}  // namespace

extern const StreamKernels kPlainKernels = kernels_over<Vector>("plain", false);

}  // namespace weir::platform
