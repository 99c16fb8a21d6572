// SPDX-License-Identifier: Apache-2.0

#include "island/policy/next.hpp"

#include <gtest/gtest.h>

#include <array>

namespace weir::island::policy {
namespace {

constexpr std::uint16_t kNothing = 99;

TEST(Next, AWorkerGetsTheFirstWhosePredecessorRanThere) {
  const std::array<std::uint16_t, 4> after{3, 1, 2, 1};
  EXPECT_EQ(next({after, kNothing, 3}), 0u);
  EXPECT_EQ(next({after, kNothing, 1}), 1u);
  EXPECT_EQ(next({after, kNothing, 2}), 2u);
}

TEST(Next, ElseOneThatHadNoPredecessor) {
  const std::array<std::uint16_t, 4> after{3, 1, kNothing, kNothing};
  EXPECT_EQ(next({after, kNothing, 2}), 2u);
  EXPECT_EQ(next({after, kNothing, 1}), 1u);
}

TEST(Next, ElseTheLast) {
  const std::array<std::uint16_t, 3> after{3, 1, 3};
  EXPECT_EQ(next({after, kNothing, 2}), 2u);
  EXPECT_EQ(next({std::span(after).first(1), kNothing, 2}), 0u);
}

}  // namespace
}  // namespace weir::island::policy
