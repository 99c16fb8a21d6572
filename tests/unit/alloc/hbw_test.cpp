// SPDX-License-Identifier: Apache-2.0

#include "alloc/hbw.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "small_machine.hpp"

namespace weir::alloc {
namespace {

using memory::TierKind;

class OnSmallHbm : public testing::Test {
 protected:
  bool is_hbm(void* data) const { return heap_.owns(data); }
  // Takes all that a policy gives, by pieces of 1 MiB, but not more than 100.
  std::vector<void*> fill() {
    std::vector<void*> taken;
    while (taken.size() < 100) {
      void* data = hbw_.allocate(kMiB);
      if (data == nullptr) break;
      taken.push_back(data);
    }
    return taken;
  }

  OnOneCpu on_one_cpu_;
  TierHeap heap_{small_machine(), TierKind::hbm, plenty()};
  Hbw hbw_{heap_};
};

class WithoutHbm : public testing::Test {
 protected:
  TierHeap heap_{machine_without_hbm(), TierKind::hbm, plenty()};
  Hbw hbw_{heap_};
};

TEST_F(OnSmallHbm, IsAvailable) { EXPECT_EQ(hbw_.check_available(), 0); }

TEST_F(OnSmallHbm, ThePolicyIsPreferredUntilItIsSet) {
  EXPECT_EQ(hbw_.policy(), HBW_POLICY_PREFERRED);
  EXPECT_EQ(hbw_.set_policy(HBW_POLICY_BIND_ALL), 0);
  EXPECT_EQ(hbw_.policy(), HBW_POLICY_BIND_ALL);
}

TEST_F(OnSmallHbm, ThePolicyIsSetOnce) {
  EXPECT_EQ(hbw_.set_policy(HBW_POLICY_BIND), 0);
  EXPECT_EQ(hbw_.set_policy(HBW_POLICY_PREFERRED), EPERM);
  EXPECT_EQ(hbw_.set_policy(HBW_POLICY_BIND), EPERM);
  EXPECT_EQ(hbw_.policy(), HBW_POLICY_BIND);
}

TEST_F(OnSmallHbm, ThePolicyIsNotSetAfterTheFirstAllocation) {
  hbw_.free(hbw_.allocate(1));
  EXPECT_EQ(hbw_.set_policy(HBW_POLICY_BIND), EPERM);
  EXPECT_EQ(hbw_.policy(), HBW_POLICY_PREFERRED);
}

TEST_F(OnSmallHbm, AnUnknownPolicyIsRefusedAndNothingIsSet) {
  EXPECT_EQ(hbw_.set_policy(0), EINVAL);
  EXPECT_EQ(hbw_.set_policy(5), EINVAL);
  EXPECT_EQ(hbw_.set_policy(HBW_POLICY_INTERLEAVE), 0);
}

TEST_F(OnSmallHbm, BindGivesTheNearestNodeAndThenNothing) {
  ASSERT_EQ(hbw_.set_policy(HBW_POLICY_BIND), 0);
  const auto taken = fill();
  EXPECT_EQ(taken.size(), 7u);
  errno = 0;
  EXPECT_EQ(hbw_.allocate(kMiB), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  void* data = nullptr;
  EXPECT_EQ(hbw_.memalign(&data, 64, kMiB), ENOMEM);
  EXPECT_EQ(data, nullptr);
}

TEST_F(OnSmallHbm, BindAllGivesEveryNode) {
  ASSERT_EQ(hbw_.set_policy(HBW_POLICY_BIND_ALL), 0);
  EXPECT_EQ(fill().size(), 14u);
}

TEST_F(OnSmallHbm, InterleaveGivesEveryNode) {
  ASSERT_EQ(hbw_.set_policy(HBW_POLICY_INTERLEAVE), 0);
  EXPECT_EQ(fill().size(), 15u);
}

TEST_F(OnSmallHbm, PreferredGoesOnInOrdinaryMemoryAndCounts) {
  const auto taken = fill();
  EXPECT_EQ(taken.size(), 100u);
  EXPECT_EQ(std::count_if(taken.begin(), taken.end(), [&](void* data) { return is_hbm(data); }), 7);
  EXPECT_EQ(heap_.use().fallbacks, 93u);
  for (void* data : taken) hbw_.free(data);
  EXPECT_EQ(heap_.use().used, 0u);
}

TEST_F(OnSmallHbm, NothingIsNull) {
  EXPECT_EQ(hbw_.allocate(0), nullptr);
  EXPECT_EQ(hbw_.allocate_zeroed(0, 8), nullptr);
  EXPECT_EQ(hbw_.allocate_zeroed(8, 0), nullptr);
  EXPECT_EQ(hbw_.usable_size(nullptr), 0u);
  hbw_.free(nullptr);
  int there = 0;
  void* data = &there;
  EXPECT_EQ(hbw_.memalign(&data, 64, 0), 0);
  EXPECT_EQ(data, nullptr);
}

TEST_F(OnSmallHbm, CallocGivesZeroesAlsoWhereMemoryWasUsedBefore) {
  void* const used = hbw_.allocate(1000);
  std::memset(used, 1, 1000);
  hbw_.free(used);
  auto* const data = static_cast<char*>(hbw_.allocate_zeroed(10, 100));
  EXPECT_TRUE(std::all_of(data, data + 1000, [](char c) { return c == 0; }));
  hbw_.free(data);
}

TEST_F(OnSmallHbm, CallocRefusesAProductThatIsTooLarge) {
  errno = 0;
  EXPECT_EQ(hbw_.allocate_zeroed(SIZE_MAX / 2, 3), nullptr);
  EXPECT_EQ(errno, ENOMEM);
}

TEST_F(OnSmallHbm, ReallocKeepsTheContents) {
  auto* data = static_cast<char*>(hbw_.reallocate(nullptr, 10));
  std::memcpy(data, "123456789", 10);
  for (const std::size_t size : {100u, 5000u, 100000u, 70000u, 20u}) {
    data = static_cast<char*>(hbw_.reallocate(data, size));
    ASSERT_NE(data, nullptr);
    EXPECT_STREQ(data, "123456789");
    EXPECT_GE(hbw_.usable_size(data), size);
  }
  EXPECT_EQ(hbw_.reallocate(data, 0), nullptr);
  EXPECT_EQ(heap_.use().used, 0u);
}

TEST_F(OnSmallHbm, ReallocThatFailsLeavesTheOldMemory) {
  ASSERT_EQ(hbw_.set_policy(HBW_POLICY_BIND), 0);
  auto* const data = static_cast<char*>(hbw_.allocate(10));
  std::memcpy(data, "123456789", 10);
  errno = 0;
  EXPECT_EQ(hbw_.reallocate(data, 100 * kMiB), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_STREQ(data, "123456789");
}

TEST_F(OnSmallHbm, ReallocTakesWhatFellBackToo) {
  auto* data = static_cast<char*>(hbw_.allocate(50 * kMiB));
  ASSERT_FALSE(is_hbm(data));
  std::memcpy(data, "123456789", 10);
  data = static_cast<char*>(hbw_.reallocate(data, 100));
  EXPECT_TRUE(is_hbm(data));
  EXPECT_STREQ(data, "123456789");
  hbw_.free(data);
}

TEST_F(OnSmallHbm, TakesMemoryOfOtherHeapsOfThisProcess) {
  TierHeap& other = TierHeap::shared(TierKind::memory);
  void* const data = other.allocate(1000, 64, Reach::all);
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(TierHeap::owner_of(data), &other);
  EXPECT_EQ(hbw_.usable_size(data), other.size_of(data));
  const std::uint64_t used = other.use().used;
  hbw_.free(data);
  EXPECT_LT(other.use().used, used);
  int local = 0;
  EXPECT_EQ(TierHeap::owner_of(&local), nullptr);
}

TEST_F(OnSmallHbm, MemalignAlignsAndRefusesWhatIsNoAlignment) {
  for (std::size_t alignment = sizeof(void*); alignment <= kMiB; alignment *= 2) {
    void* data = nullptr;
    ASSERT_EQ(hbw_.memalign(&data, alignment, 100), 0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % alignment, 0u);
    EXPECT_GE(hbw_.usable_size(data), 100u);
    hbw_.free(data);
  }
  void* data = nullptr;
  for (const std::size_t alignment : {0u, 1u, 4u, 24u, 100u}) EXPECT_EQ(hbw_.memalign(&data, alignment, 1), EINVAL);
}

TEST_F(OnSmallHbm, PagesOf2MiBAreWholeAndThoseOf1GiBAreNotSupported) {
  void* data = nullptr;
  ASSERT_EQ(hbw_.memalign_psize(&data, 64, 100, HBW_PAGESIZE_2MB), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % (2 * kMiB), 0u);
  EXPECT_EQ(hbw_.usable_size(data), 2 * kMiB);
  hbw_.free(data);
  EXPECT_EQ(hbw_.memalign_psize(&data, 64, 100, HBW_PAGESIZE_4KB), 0);
  hbw_.free(data);
  for (const int pagesize : {0, 3, 4, 5}) EXPECT_EQ(hbw_.memalign_psize(&data, 64, 100, pagesize), EINVAL);
  EXPECT_EQ(hbw_.memalign_psize(&data, 3, 100, HBW_PAGESIZE_2MB), EINVAL);
}

TEST_F(OnSmallHbm, PagesOf2MiBAreNotInterleaved) {
  ASSERT_EQ(hbw_.set_policy(HBW_POLICY_INTERLEAVE), 0);
  void* data = nullptr;
  EXPECT_EQ(hbw_.memalign_psize(&data, 64, 100, HBW_PAGESIZE_2MB), EINVAL);
  EXPECT_EQ(hbw_.memalign_psize(&data, 64, 100, HBW_PAGESIZE_4KB), 0);
  hbw_.free(data);
}

TEST_F(OnSmallHbm, VerifyRefusesWhatItCannotMean) {
  char byte = 0;
  EXPECT_EQ(hbw_.verify(nullptr, 1, 0), EINVAL);
  EXPECT_EQ(hbw_.verify(&byte, 0, 0), EINVAL);
  EXPECT_EQ(hbw_.verify(&byte, 1, 2), EINVAL);
}

TEST_F(WithoutHbm, IsNotAvailable) { EXPECT_EQ(hbw_.check_available(), ENODEV); }

TEST_F(WithoutHbm, PreferredGivesOrdinaryMemory) {
  void* const data = hbw_.allocate(1000);
  ASSERT_NE(data, nullptr);
  EXPECT_GE(hbw_.usable_size(data), 1000u);
  hbw_.free(data);
  EXPECT_EQ(heap_.use().fallbacks, 1u);
}

TEST_F(WithoutHbm, OtherPoliciesGiveNothing) {
  for (const int policy : {HBW_POLICY_BIND, HBW_POLICY_BIND_ALL, HBW_POLICY_INTERLEAVE}) {
    Hbw hbw(heap_);
    ASSERT_EQ(hbw.set_policy(policy), 0);
    errno = 0;
    EXPECT_EQ(hbw.allocate(1), nullptr);
    EXPECT_EQ(errno, ENOMEM);
  }
}

TEST_F(WithoutHbm, NoMemoryIsVerified) {
  char bytes[10000] = {};
  const int said = hbw_.verify(bytes, sizeof bytes, HBW_TOUCH_PAGES);
  EXPECT_TRUE(said == -1 || said == EFAULT) << said;
}

}  // namespace
}  // namespace weir::alloc
