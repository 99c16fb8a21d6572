// SPDX-License-Identifier: Apache-2.0

#include "few_numbers.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace weir::tool::report {
namespace {

std::vector<std::uint32_t> all(const FewNumbers& numbers) { return {numbers.begin(), numbers.end()}; }

TEST(FewNumbers, KeepsThemInOrderInPlaceAndBeyond) {
  FewNumbers numbers;
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 20; ++i) {
    numbers.push_back(i);
    expected.push_back(i);
    EXPECT_EQ(all(numbers), expected);
  }
}

TEST(FewNumbers, AreCopiedAndMoved) {
  for (const FewNumbers& numbers : {FewNumbers{1, 2}, FewNumbers{1, 2, 3, 4, 5}}) {
    FewNumbers copy = numbers;
    EXPECT_EQ(all(copy), all(numbers));
    const FewNumbers moved = std::move(copy);
    EXPECT_EQ(all(moved), all(numbers));
    FewNumbers assigned{9, 9, 9};
    assigned = moved;
    EXPECT_EQ(all(assigned), all(numbers));
  }
}

TEST(FewNumbers, LoseThoseThatAreErased) {
  FewNumbers numbers{1, 7, 2, 8, 3};
  numbers.erase_if([](std::uint32_t number) { return number > 6; });
  EXPECT_EQ(all(numbers), (std::vector<std::uint32_t>{1, 2, 3}));
}

}  // namespace
}  // namespace weir::tool::report
