// SPDX-License-Identifier: Apache-2.0

#include "platform/pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "platform/memory_limit.hpp"

namespace weir::platform {
namespace {

TEST(Pages, AreZeroedAndWritable) {
  const auto pages = Pages::map({1u << 20}, std::nullopt);
  ASSERT_TRUE(pages);
  auto* bytes = static_cast<char*>(pages->data());
  EXPECT_TRUE(std::all_of(bytes, bytes + (1u << 20), [](char c) { return c == 0; }));
  std::memset(bytes, 7, 1u << 20);
}

TEST(Pages, MoreThanTheAddressSpaceIsRefused) {
  const auto pages = Pages::map({std::uint64_t{1} << 62}, std::nullopt);
  ASSERT_FALSE(pages);
  EXPECT_EQ(pages.status().code, base::Code::no_space);
}

TEST(Pages, MovingHandsTheMappingOver) {
  auto first = Pages::map({4096}, std::nullopt);
  void* data = first->data();
  const Pages second = std::move(first).value();
  EXPECT_EQ(second.data(), data);
}

TEST(Pages, APlaceThatDoesNotExistIsRefusedAndNamed) {
  const auto pages = Pages::map({4096}, 1000);
  ASSERT_FALSE(pages);
  EXPECT_NE(pages.status().message.find("1000"), std::string::npos);
}

TEST(ShareOnNode, PagesThatNobodyTouchedAreNowhere) {
  const auto pages = Pages::map({1u << 20}, std::nullopt, PageSize::small);
  const auto share = share_on_node(pages->data(), pages->size(), 0);
  ASSERT_FALSE(share);
  if (share.status().code == base::Code::unsupported) GTEST_SKIP() << share.status().message;
  EXPECT_EQ(share.status().code, base::Code::not_found);
}

TEST(PlacesOf, CountsEveryPageAndNamesTheFirstThatIsElsewhere) {
  constexpr std::size_t kPages = 10000, kPage = 4096;
  const auto pages = Pages::map({kPages * kPage}, std::nullopt, PageSize::small);
  ASSERT_TRUE(pages) << pages.status().message;
  std::memset(pages->data(), 1, 5000 * kPage);
  const auto here = places_of(pages->data(), pages->size(), std::array{0});
  if (!here && here.status().code == base::Code::unsupported) GTEST_SKIP() << here.status().message;
  ASSERT_TRUE(here) << here.status().message;
  EXPECT_EQ(here->absent, 5000u);
  EXPECT_EQ(here->on_node + here->elsewhere, 5000u);
  const auto nowhere = places_of(pages->data(), pages->size(), std::array{1000});
  EXPECT_EQ(nowhere->elsewhere, 5000u);
  EXPECT_EQ(nowhere->first_elsewhere, 0u);
}

TEST(Memory, TheSystemHasMoreThanIsAvailable) {
  EXPECT_GT(total_memory().count, 0u);
  EXPECT_LE(memory_limit().bytes, total_memory().count);
}

TEST(Memory, ANodeThatIsNotThereHasNone) { EXPECT_EQ(free_memory(1000).count, 0u); }

}  // namespace
}  // namespace weir::platform
