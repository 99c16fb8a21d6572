// SPDX-License-Identifier: Apache-2.0

#include "shmem/group/kernel.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace weir::shmem::test {
namespace {

template <class T>
T combined(Op op, T a, T b) {
  T out{};
  kernel_of(op, kTypeOf<T>).combine(&out, &a, &b, 1);
  return out;
}

template <class T>
void expect_numbers() {
  EXPECT_EQ(combined<T>(Op::sum, 3, 4), T(7));
  EXPECT_EQ(combined<T>(Op::prod, 3, 4), T(12));
  EXPECT_EQ(combined<T>(Op::min, 3, 4), T(3));
  EXPECT_EQ(combined<T>(Op::max, 3, 4), T(4));
  EXPECT_EQ(kernel_of(Op::sum, kTypeOf<T>).bytes, sizeof(T));
}

template <class T>
void expect_bits() {
  expect_numbers<T>();
  EXPECT_EQ(combined<T>(Op::bit_and, 12, 10), T(8));
  EXPECT_EQ(combined<T>(Op::bit_or, 12, 10), T(14));
  EXPECT_EQ(combined<T>(Op::bit_xor, 12, 10), T(6));
}

TEST(Kernel, CombinesEveryTypeByEveryOperationThatItHas) {
  expect_bits<signed char>();
  expect_bits<char>();
  expect_bits<short>();
  expect_bits<int>();
  expect_bits<long>();
  expect_bits<long long>();
  expect_bits<unsigned char>();
  expect_bits<unsigned short>();
  expect_bits<unsigned>();
  expect_bits<unsigned long>();
  expect_bits<unsigned long long>();
  expect_numbers<float>();
  expect_numbers<double>();
  expect_numbers<long double>();
  const std::complex<double> a(1, 2), b(3, 4);
  EXPECT_EQ(combined(Op::sum, a, b), a + b);
  EXPECT_EQ(combined(Op::prod, a, b), a * b);
  const std::complex<float> c(1, 2), d(3, 4);
  EXPECT_EQ(combined(Op::sum, c, d), c + d);
  EXPECT_EQ(combined(Op::prod, c, d), c * d);
}

TEST(Kernel, SignedAndUnsignedNumbersHaveTheirOwnOrder) {
  EXPECT_EQ(combined<std::int8_t>(Op::min, -1, 1), -1);
  EXPECT_EQ(combined<std::uint8_t>(Op::min, 255, 1), 1);
  EXPECT_EQ(combined<std::int64_t>(Op::max, -1, 1), 1);
  EXPECT_EQ(combined<std::uint64_t>(Op::max, std::numeric_limits<std::uint64_t>::max(), 1),
            std::numeric_limits<std::uint64_t>::max());
}

TEST(Kernel, WholeNumbersWrapAround) {
  EXPECT_EQ(combined<std::int32_t>(Op::sum, std::numeric_limits<std::int32_t>::max(), 1),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(combined<std::uint16_t>(Op::prod, 65535, 65535), 1);
  EXPECT_EQ(combined<std::int16_t>(Op::prod, 300, 300), std::int16_t(90000 - 65536));
}

TEST(Kernel, WhatATypeCannotDoIsNull) {
  EXPECT_EQ(kernel_of(Op::bit_and, Type::f64).combine, nullptr);
  EXPECT_EQ(kernel_of(Op::bit_xor, Type::c64).combine, nullptr);
  EXPECT_EQ(kernel_of(Op::min, Type::c32).combine, nullptr);
}

TEST(Kernel, TheResultMayReplaceEitherOperand) {
  for (const std::size_t n : {1U, 7U, 64U, 1000U}) {
    std::vector<double> a(n, 2), b(n, 3);
    kernel_of(Op::sum, Type::f64).combine(a.data(), a.data(), b.data(), n);
    EXPECT_EQ(a, std::vector<double>(n, 5));
    kernel_of(Op::sum, Type::f64).combine(b.data(), a.data(), b.data(), n);
    EXPECT_EQ(b, std::vector<double>(n, 8));
  }
}

}  // namespace
}  // namespace weir::shmem::test
