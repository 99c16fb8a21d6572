// SPDX-License-Identifier: Apache-2.0

#include "shmem/group/kernel.hpp"

#include <algorithm>
#include <array>
#include <tuple>

// The arrays are the same or apart: no step of a loop needs what another one writes.
#if defined(__clang__)
#define WEIR_INDEPENDENT_STEPS _Pragma("clang loop vectorize(assume_safety)")
#else
#define WEIR_INDEPENDENT_STEPS _Pragma("GCC ivdep")
#endif

namespace weir::shmem {
namespace {

template <class T>
constexpr bool kIsComplex = !std::is_arithmetic_v<T>;

template <Op kOp, class T>
constexpr bool exists() {
  if (kOp == Op::sum || kOp == Op::prod) return true;
  if (kOp == Op::min || kOp == Op::max) return !kIsComplex<T>;
  return std::is_integral_v<T>;
}

// Wide enough that a product of two does not overflow as an int, and unsigned.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) < sizeof(unsigned), unsigned, std::make_unsigned_t<T>>;

template <Op kOp, class T>
T apply(T a, T b) {
  if constexpr (kOp == Op::bit_and) {
    return static_cast<T>(a & b);
  } else if constexpr (kOp == Op::bit_or) {
    return static_cast<T>(a | b);
  } else if constexpr (kOp == Op::bit_xor) {
    return static_cast<T>(a ^ b);
  } else if constexpr (kOp == Op::min) {
    return b < a ? b : a;
  } else if constexpr (kOp == Op::max) {
    return a < b ? b : a;
  } else if constexpr (std::is_integral_v<T>) {
    const auto x = static_cast<Wrapping<T>>(a), y = static_cast<Wrapping<T>>(b);
    return static_cast<T>(kOp == Op::sum ? x + y : x * y);
  } else {
    return kOp == Op::sum ? a + b : a * b;
  }
}

template <Op kOp, class T>
void combine(void* out, const void* a, const void* b, std::size_t n) {
  T* const to = static_cast<T*>(out);
  const T* const x = static_cast<const T*>(a);
  const T* const y = static_cast<const T*>(b);
  WEIR_INDEPENDENT_STEPS
  for (std::size_t i = 0; i < n; ++i) to[i] = apply<kOp>(x[i], y[i]);
}

using Types =
    std::tuple<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
               std::uint64_t, float, double, long double, std::complex<float>, std::complex<double>>;
static_assert(std::tuple_size_v<Types> == kTypes);

template <Op kOp, class T>
constexpr Kernel kernel() {
  if constexpr (exists<kOp, T>()) {
    return {&combine<kOp, T>, sizeof(T)};
  } else {
    return {nullptr, sizeof(T)};
  }
}

template <Op kOp, std::size_t... kAll>
constexpr std::array<Kernel, kTypes> row(std::index_sequence<kAll...> /*types*/) {
  return {kernel<kOp, std::tuple_element_t<kAll, Types>>()...};
}

template <std::size_t... kAll>
constexpr std::array<std::array<Kernel, kTypes>, kOps> table(std::index_sequence<kAll...> /*operations*/) {
  return {row<static_cast<Op>(kAll)>(std::make_index_sequence<kTypes>())...};
}

constexpr auto kKernels = table(std::make_index_sequence<kOps>());

}  // namespace

const Kernel& kernel_of(Op op, Type type) noexcept {
  return kKernels[static_cast<std::size_t>(op)][static_cast<std::size_t>(type)];
}

}  // namespace weir::shmem
