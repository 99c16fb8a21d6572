// SPDX-License-Identifier: Apache-2.0

#include "platform/address_range.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace weir::platform {
namespace {

constexpr int kNode0[] = {0};
constexpr std::size_t kMiB = std::size_t{1} << 20;

bool is_zero(const std::byte* data, std::size_t bytes) {
  return std::all_of(data, data + bytes, [](std::byte b) { return b == std::byte{0}; });
}

// Nothing is expected where the kernel does not tell.
void expect_pages(const AddressRange& range, std::size_t pages) {
  const auto places = places_of(range.data(), range.size(), kNode0);
  if (places) {
    EXPECT_EQ(places->on_node + places->elsewhere, pages);
  }
}

TEST(AddressRange, StartsAtALargePageAndHasNoMemoryAtFirst) {
  const auto range = AddressRange::reserve({64 * kMiB}, {}, PageSize::large);
  ASSERT_TRUE(range) << range.status().message;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(range->data()) % AddressRange::kLargePage, 0u);
  expect_pages(*range, 0);
}

TEST(AddressRange, GivesZeroedPagesInSteps) {
  auto range = AddressRange::reserve({8 * kMiB}, {}, PageSize::small);
  ASSERT_TRUE(range) << range.status().message;
  for (std::size_t at = 0; at < 8 * kMiB; at += 2 * kMiB) {
    ASSERT_TRUE(range->populate(at, 2 * kMiB));
    EXPECT_TRUE(is_zero(range->data() + at, 2 * kMiB));
    std::memset(range->data() + at, 1, 2 * kMiB);
  }
  expect_pages(*range, 8 * kMiB / 4096);
}

TEST(AddressRange, TakesPagesBackAndGivesThemAgainZeroed) {
  auto range = AddressRange::reserve({4 * kMiB}, {}, PageSize::small);
  ASSERT_TRUE(range->populate(0, 4 * kMiB));
  std::memset(range->data(), 1, 4 * kMiB);
  range->release(2 * kMiB, 2 * kMiB);
  expect_pages(*range, 2 * kMiB / 4096);
  ASSERT_TRUE(range->populate(2 * kMiB, 2 * kMiB));
  EXPECT_TRUE(is_zero(range->data() + 2 * kMiB, 2 * kMiB));
  EXPECT_EQ(range->data()[0], std::byte{1});
}

TEST(AddressRange, CountsItsLargePagesOnly) {
  auto small = AddressRange::reserve({4 * kMiB}, {}, PageSize::small);
  auto large = AddressRange::reserve({4 * kMiB}, {}, PageSize::large);
  ASSERT_TRUE(small->populate(0, 4 * kMiB));
  ASSERT_TRUE(large->populate(0, 4 * kMiB));
  EXPECT_EQ(small->in_large_pages(4 * kMiB), Bytes{0});
  EXPECT_LE(large->in_large_pages(4 * kMiB), Bytes{4 * kMiB});
}

TEST(AddressRange, MoreThanTheAddressSpaceIsRefusedWithItsSize) {
  const auto range = AddressRange::reserve({std::uint64_t{1} << 60}, {}, PageSize::large);
  ASSERT_FALSE(range);
  EXPECT_EQ(range.status().code, base::Code::no_space);
}

using AddressRangeDeathTest = testing::Test;

TEST_F(AddressRangeDeathTest, AddressesWithoutMemoryCannotBeUsed) {
  auto range = AddressRange::reserve({4 * kMiB}, {}, PageSize::small);
  ASSERT_TRUE(range->populate(0, 2 * kMiB));
  EXPECT_DEATH(*const_cast<volatile std::byte*>(range->data() + 2 * kMiB) = std::byte{1}, "");
}

}  // namespace
}  // namespace weir::platform
