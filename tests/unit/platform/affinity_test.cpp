// SPDX-License-Identifier: Apache-2.0

#include "platform/affinity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace weir::platform {
namespace {

TEST(Affinity, EveryThreadMayRunSomewhere) {
  const std::vector<int> cpus = this_thread_cpus();
  ASSERT_FALSE(cpus.empty());
  EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));
}

TEST(Affinity, ABoundThreadRunsOnItsCpu) {
  const int last = this_thread_cpus().back();
  std::thread([last] {
    ASSERT_TRUE(bind_this_thread(std::vector{last}));
    EXPECT_EQ(this_thread_cpus(), std::vector{last});
    EXPECT_EQ(current_cpu(), last);
  }).join();
}

TEST(Affinity, AThreadThatIsMovedKeepsItsMask) {
  std::thread([] {
    const std::vector<int> cpus = this_thread_cpus();
    bool has_been_there = false;
    for (int i = 0; i < 1000 && !has_been_there; ++i) {  // the kernel may move it on at once
      ASSERT_TRUE(move_this_thread(cpus[static_cast<std::size_t>(i) % cpus.size()]));
      has_been_there = current_cpu() == cpus[static_cast<std::size_t>(i) % cpus.size()];
      ASSERT_EQ(this_thread_cpus(), cpus);
    }
    EXPECT_TRUE(has_been_there);
  }).join();
}

TEST(Affinity, AThreadIsNotMovedOutOfItsMask) {
  std::thread([] {
    const std::vector<int> cpus = this_thread_cpus();
    ASSERT_TRUE(bind_this_thread(std::vector{cpus.front()}));
    EXPECT_FALSE(move_this_thread(cpus.front() + 1));
    EXPECT_FALSE(move_this_thread(-1));
    EXPECT_FALSE(move_this_thread(100'000));
    EXPECT_EQ(current_cpu(), cpus.front());
  }).join();
}

TEST(Affinity, BindingToACpuThatIsNotThereFailsAndChangesNothing) {
  const std::vector<int> before = this_thread_cpus();
  const base::Status status = bind_this_thread(std::vector{100'000});
  EXPECT_FALSE(status);
  EXPECT_EQ(status.code, base::Code::not_found);
  EXPECT_NE(status.message.find("100000"), std::string::npos) << status.message;
  EXPECT_EQ(this_thread_cpus(), before);
}

TEST(ScopedBinding, GivesTheMaskBack) {
  const std::vector<int> before = this_thread_cpus();
  {
    ScopedBinding binding;
    ASSERT_TRUE(binding.bind(std::vector{before.front()}));
    EXPECT_EQ(this_thread_cpus(), std::vector{before.front()});
    ASSERT_TRUE(binding.bind(std::vector{before.back()}));
  }
  EXPECT_EQ(this_thread_cpus(), before);
}

TEST(ScopedBinding, ABoundThreadStillKnowsWhatItCouldUseBefore) {
  const std::vector<int> before = this_thread_cpus();
  ScopedBinding outer;
  ASSERT_TRUE(outer.bind(std::vector{before.front()}));
  {
    ScopedBinding inner;
    ASSERT_TRUE(inner.bind(std::vector{before.front()}));
    EXPECT_EQ(unbound_cpus(), before);
  }
  EXPECT_EQ(this_thread_cpus(), std::vector{before.front()});
  EXPECT_EQ(unbound_cpus(), before);
}

TEST(ScopedBinding, OtherThreadsAreNotConcerned) {
  const std::vector<int> before = this_thread_cpus();
  ScopedBinding binding;
  std::thread([&] { EXPECT_EQ(unbound_cpus(), before); }).join();
}

}  // namespace
}  // namespace weir::platform
