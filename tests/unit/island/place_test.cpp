// SPDX-License-Identifier: Apache-2.0

#include "island/policy/place.hpp"

#include <gtest/gtest.h>

#include <array>

namespace weir::island::policy {
namespace {

TEST(Place, TheOneWithTheFewestGetsIt) {
  const std::array<std::uint32_t, 4> queued{3, 1, 2, 1};
  EXPECT_EQ(place({queued, 8, 0}), 1);
  EXPECT_EQ(place({queued, 8, 2}), 3);
}

TEST(Place, EquallyLoadedOnesGetItInTurn) {
  const std::array<std::uint32_t, 3> queued{2, 2, 2};
  EXPECT_EQ(place({queued, 8, 0}), 0);
  EXPECT_EQ(place({queued, 8, 1}), 1);
  EXPECT_EQ(place({queued, 8, 2}), 2);
}

TEST(Place, NobodyWhoHasAsManyAsHeCanTake) {
  const std::array<std::uint32_t, 2> full{8, 8}, one{8, 7};
  EXPECT_EQ(place({full, 8, 0}), kNobody);
  EXPECT_EQ(place({one, 8, 0}), 1);
}

}  // namespace
}  // namespace weir::island::policy
