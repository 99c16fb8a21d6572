// SPDX-License-Identifier: Apache-2.0

#include "platform/trial.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <unistd.h>

namespace weir::platform {
namespace {

constexpr std::uint64_t kPatience = 60'000'000'000;  // ns

TEST(Trial, BringsBackWhatTheFunctionReturns) {
  const std::string long_text(100'000, 'x');
  const Trial trial = try_in_child([&] { return long_text; }, kPatience);
  EXPECT_EQ(trial.end, Trial::End::returned);
  EXPECT_EQ(trial.said, long_text);
}

TEST(Trial, ReportsACrashByItsSignal) {
  const Trial trial = try_in_child(
      [] {
        std::raise(SIGSEGV);
        return std::string();
      },
      kPatience);
  EXPECT_EQ(trial.end, Trial::End::crashed);
  EXPECT_EQ(trial.number, SIGSEGV);
}

TEST(Trial, ReportsAnEndOfTheProcessAsACrash) {
  const Trial trial = try_in_child([]() -> std::string { _exit(0); }, kPatience);
  EXPECT_EQ(trial.end, Trial::End::crashed);
  EXPECT_EQ(trial.number, 0);
}

TEST(Trial, EndsAChildThatDoesNotReturn) {
  const Trial trial = try_in_child(
      []() -> std::string {
        while (true) pause();
      },
      1'000'000);
  EXPECT_EQ(trial.end, Trial::End::late);
}

TEST(Trial, WorksWhereTheProgramIgnoresTheEndsOfItsChildren) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(try_in_child([] { return std::string("yes"); }, kPatience).said, "yes");
  EXPECT_EQ(try_in_child([]() -> std::string { std::abort(); }, kPatience).end, Trial::End::crashed);
  std::signal(SIGCHLD, before);
}

// The child must find malloc() usable, whatever the other threads did at that moment.
TEST(Trial, WorksWhileOtherThreadsAllocate) {
  std::atomic<bool> stop = false;
  const auto allocate = [&] {
    while (!stop) std::free(std::malloc(1 + std::rand() % 5000));
  };
  std::thread one(allocate), other(allocate);
  for (int i = 0; i < 20; ++i) {
    const Trial trial = try_in_child([] { return std::string(3000, 'y') + std::string(200'000, 'z'); }, kPatience);
    EXPECT_EQ(trial.end, Trial::End::returned) << i;
    EXPECT_EQ(trial.said.size(), 203'000u) << i;
  }
  stop = true;
  one.join();
  other.join();
}

}  // namespace
}  // namespace weir::platform
