// SPDX-License-Identifier: Apache-2.0

#include <hbw_allocator.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace {

TEST(HbwAllocator, ServesContainersAndTheirCopies) {
  std::vector<double, hbw::allocator<double>> first(100'000, 0.5);
  std::vector<double, hbw::allocator<double>> second = first;
  second.resize(200'000, 1.5);
  EXPECT_EQ(first.front(), 0.5);
  EXPECT_EQ(second.back(), 1.5);
  std::map<int, int, std::less<>, hbw::allocator<std::pair<const int, int>>> squares;
  for (int i = 0; i < 1000; ++i) squares.emplace(i, i * i);
  EXPECT_EQ(squares.at(999), 998'001);
}

TEST(HbwAllocator, AlignsWhatAsksForMoreThanALine) {
  struct alignas(512) Wide {
    char bytes[512];
  };
  hbw::allocator<Wide> allocator;
  Wide* const data = allocator.allocate(3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 512, 0u);
  allocator.deallocate(data, 3);
}

TEST(HbwAllocator, ThrowsForMoreThanThereIs) {
  hbw::allocator<double> allocator;
  EXPECT_THROW((void)allocator.allocate(std::numeric_limits<std::size_t>::max() / 4), std::bad_alloc);
  EXPECT_THROW((void)allocator.allocate(std::numeric_limits<std::size_t>::max() / 16), std::bad_alloc);
}

TEST(HbwAllocator, HasTheMembersThatMemkindsManualHas) {
  using Allocator = hbw::allocator<std::string>;
  static_assert(std::is_same_v<Allocator::rebind<int>::other, hbw::allocator<int>>);
  static_assert(std::is_same_v<Allocator::const_reference, const std::string&>);
  Allocator allocator;
  const Allocator::pointer data = allocator.allocate(2, nullptr);
  allocator.construct(data, "of hbw");
  EXPECT_EQ(*data, "of hbw");
  EXPECT_EQ(allocator.address(*data), data);
  allocator.destroy(data);
  allocator.deallocate(data, 2);
  EXPECT_THROW((void)allocator.allocate(allocator.max_size() + 1), std::bad_alloc);
  [[maybe_unused]] const hbw::allocator<void> of_nothing;
}

TEST(HbwAllocator, IsEqualToEveryOther) { EXPECT_TRUE(hbw::allocator<int>() == hbw::allocator<double>()); }

}  // namespace
