// SPDX-License-Identifier: Apache-2.0

#include "platform/thread_state.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

namespace weir::platform {
namespace {

// What a thread that does this is seen to sleep in, as soon as it sleeps.
template <class F>
std::string seen(F&& sleep, int end) {
  std::atomic<int> number{0};
  std::thread thread([&] {
    number = this_thread_number();
    sleep();
  });
  std::string what;
  while (what.empty()) what = asleep_in(number);
  EXPECT_EQ(write(end, "x", 1), 1);
  thread.join();
  return what;
}

TEST(ThreadState, SaysInWhichSystemCallAThreadSleeps) {
  if (std::getenv("QEMU_LD_PREFIX") != nullptr) GTEST_SKIP() << "the kernel shows the system calls of QEMU";
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  char byte = 0;
  EXPECT_EQ(seen([&] { EXPECT_EQ(read(ends[0], &byte, 1), 1); }, ends[1]), "read()");
  close(ends[0]);
  close(ends[1]);
}

TEST(ThreadState, KnowsWhetherAThreadIsAsleep) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::atomic<int> number{0};
  std::thread thread([&] {
    number = this_thread_number();
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
  });
  while (number == 0 || !is_asleep(number)) std::this_thread::yield();
  EXPECT_EQ(write(ends[1], "x", 1), 1);
  thread.join();
  EXPECT_FALSE(is_asleep(this_thread_number()));
  EXPECT_FALSE(is_asleep(1 << 30)) << "there is no such thread";
  close(ends[0]);
  close(ends[1]);
}

TEST(ThreadState, SaysNothingOfOneThatRunsOrIsNotThere) {
  EXPECT_EQ(asleep_in(this_thread_number()), "");
  EXPECT_EQ(asleep_in(0), "");
  EXPECT_EQ(asleep_in(1 << 30), "");
}

}  // namespace
}  // namespace weir::platform
