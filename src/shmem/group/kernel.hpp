// SPDX-License-Identifier: Apache-2.0

// Kernel: what a reduction does with two arrays, by operation and type. Pure; any thread.
//
// Integers wrap around in sums and products, signed ones too. A null kernel: the specification has no such operation.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weir::shmem {

enum class Op : std::uint8_t { bit_and, bit_or, bit_xor, min, max, sum, prod };
inline constexpr std::size_t kOps = 7;

enum class Type : std::uint8_t { i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, f80, c32, c64 };
inline constexpr std::size_t kTypes = 13;

// out[i] = a[i] op b[i]. `out` may be `a` or `b`; else they do not overlap.
using Combine = void (*)(void* out, const void* a, const void* b, std::size_t n);

struct Kernel {
  Combine combine = nullptr;
  std::size_t bytes = 0;  // of an element
};
const Kernel& kernel_of(Op op, Type type) noexcept;

// The type of a C type. Complex types are std::complex, which C's are laid out like.
template <class T>
constexpr Type type_of() noexcept {
  if constexpr (std::is_same_v<T, float>) return Type::f32;
  if constexpr (std::is_same_v<T, double>) return Type::f64;
  if constexpr (std::is_same_v<T, long double>) return Type::f80;
  if constexpr (std::is_same_v<T, std::complex<float>>) return Type::c32;
  if constexpr (std::is_same_v<T, std::complex<double>>) return Type::c64;
  if constexpr (std::is_integral_v<T>) {
    constexpr unsigned size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<Type>(size + (std::is_signed_v<T> ? 0 : 4));
  }
}
template <class T>
inline constexpr Type kTypeOf = type_of<T>();

}  // namespace weir::shmem
