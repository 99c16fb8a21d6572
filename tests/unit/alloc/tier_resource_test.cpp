// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "weir/error.hpp"
#include "weir/tier.hpp"

namespace weir {
namespace {

using testing::HasSubstr;

// On machines that have it, the tests that need it missing do not run.
bool has_hbm() { return tier_use("hbm").budget > 0; }

std::string error_of(std::string_view tier, TierPolicy policy = TierPolicy::strict) {
  try {
    tier_resource(tier, policy);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(TierResource, IsOneForEachTierAndPolicy) {
  EXPECT_EQ(tier_resource("memory"), tier_resource("memory"));
  EXPECT_NE(tier_resource("memory"), tier_resource("memory", TierPolicy::preferred));
  EXPECT_TRUE(tier_resource("memory")->is_equal(*tier_resource("memory")));
}

TEST(TierResource, OfAnUnknownTierIsAnErrorThatSuggests) {
  EXPECT_EQ(error_of("hmb"),
            "tier_resource: unknown tier \"hmb\"; there are hbm, ddr, cxl, nvm, device, memory; did you mean hbm?");
  EXPECT_THAT(error_of("file", TierPolicy::preferred), HasSubstr("unknown tier \"file\""));
}

TEST(TierResource, OfAMissingTierIsAnErrorUnlessItIsOnlyPreferred) {
  if (has_hbm()) GTEST_SKIP() << "this machine has hbm";
  EXPECT_EQ(error_of("hbm"),
            "tier_resource(\"hbm\"): this machine has no hbm memory that this process may use; TierPolicy::preferred "
            "takes ordinary memory instead");
  std::pmr::memory_resource* const resource = tier_resource("hbm", TierPolicy::preferred);
  const std::uint64_t before = tier_use("hbm").fallbacks;
  void* const data = resource->allocate(10000);
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(tier_use("hbm").fallbacks, before + 1);
  resource->deallocate(data, 10000);
}

TEST(TierResource, CountsWhatIsUsed) {
  // The pools take memory for themselves at the first use.
  tier_resource("memory")->deallocate(tier_resource("memory")->allocate(1 << 20), 1 << 20);
  const TierUse before = tier_use("memory");
  void* const data = tier_resource("memory")->allocate(1 << 20);
  const TierUse during = tier_use("memory");
  EXPECT_EQ(during.used, before.used + (1 << 20));
  EXPECT_GE(during.populated, during.used);
  EXPECT_GT(during.budget, 0u);
  tier_resource("memory")->deallocate(data, 1 << 20);
  EXPECT_EQ(tier_use("memory").used, before.used);
}

TEST(TierResource, ThrowsWhenTheTierHasNoRoom) {
  EXPECT_THROW((void)tier_resource("memory")->allocate(std::size_t{1} << 50), std::bad_alloc);
}

TEST(TierResource, GivesTheAlignmentThatIsAskedFor) {
  std::pmr::memory_resource* const resource = tier_resource("memory");
  for (std::size_t alignment = 1; alignment <= 1 << 16; alignment *= 2) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{500}, std::size_t{3000}}) {
      void* const data = resource->allocate(bytes, alignment);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % alignment, 0u);
      resource->deallocate(data, bytes, alignment);
    }
  }
}

TEST(TierResource, ServesContainersOfTheStandardLibraryFromSeveralThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      std::pmr::map<int, std::pmr::string> map(tier_resource("memory"));
      for (int i = 0; i < 2000; ++i) map.emplace(i, std::string(std::size_t(i) % 200, 'x'));
      for (int i = 0; i < 2000; i += 2) map.erase(i);
      EXPECT_EQ(map.at(199).size(), 199u);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(TierAllocator, ServesContainers) {
  const TierAllocator<int> allocator("memory");
  std::vector<int, TierAllocator<int>> vector(100000, 7, allocator);
  std::list<int, TierAllocator<int>> list({1, 2, 3}, allocator);
  EXPECT_EQ(vector[99999], 7);
  EXPECT_EQ(list.size(), 3u);
  EXPECT_GE(tier_use("memory").used, 100000 * sizeof(int));
}

TEST(TierAllocator, StaysWithItsContainerWhenThatIsCopiedOrMoved) {
  using Vector = std::vector<int, TierAllocator<int>>;
  const Vector strict(10, 1, TierAllocator<int>("memory"));
  Vector preferred(10, 2, TierAllocator<int>("memory", TierPolicy::preferred));
  EXPECT_NE(strict.get_allocator(), preferred.get_allocator());
  preferred = strict;
  EXPECT_EQ(strict.get_allocator(), preferred.get_allocator());
  EXPECT_EQ(Vector(strict).get_allocator(), strict.get_allocator());
}

TEST(TierAllocator, RefusesACountThatIsTooLarge) {
  TierAllocator<double> allocator("memory");
  EXPECT_THROW((void)allocator.allocate(SIZE_MAX / 4), std::bad_array_new_length);
}

}  // namespace
}  // namespace weir
