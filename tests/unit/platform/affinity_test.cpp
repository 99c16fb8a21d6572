// SPDX-License-Identifier: Apache-2.0

#include "platform/affinity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "platform/thread_state.hpp"

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

TEST(Affinity, AThreadThatIsMovedHereMayRunOnAllThatIsSaid) {
  const std::vector<int> all = this_thread_cpus();
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (const int cpu : all) CPU_SET(static_cast<unsigned>(cpu), &cpus);
  std::atomic<int> number{0};
  std::atomic<bool> moved{false};
  std::thread thread([&] {
    ASSERT_TRUE(bind_this_thread_to(all.front()));
    EXPECT_EQ(this_thread_cpus(), std::vector{all.front()});
    number = this_thread_number();
    while (!moved) std::this_thread::yield();
    EXPECT_EQ(this_thread_cpus(), all);
  });
  while (number == 0) std::this_thread::yield();
  EXPECT_TRUE(move_here(number, cpus));
  moved = true;
  thread.join();
}

TEST(Affinity, WhatTheSystemDoesNotAllowIsNotDone) {
  const std::vector<int> before = this_thread_cpus();
  EXPECT_FALSE(bind_this_thread_to(CPU_SETSIZE - 1));
  cpu_set_t none;
  CPU_ZERO(&none);
  EXPECT_FALSE(move_here(this_thread_number(), none));
  EXPECT_EQ(this_thread_cpus(), before);
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
