// SPDX-License-Identifier: Apache-2.0

// More workers than processors: as many as those are awake as long as that is enough. These are programs for which it
// is not, and which would stand still.
#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "support.hpp"

namespace weir {
namespace {

int processors() {
  cpu_set_t mask;
  return sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 64;
}
// Three times the processors, and one that runs in the program's own code.
int many() { return 3 * processors(); }
Options of_many() {
  Options options;
  options.workers = many() + 1;
  return options;
}

TEST(Surplus, TasksThatComputeUntilAllHaveBegunDoAllBegin) {
  Runtime runtime(of_many());
  for (int round = 0; round < 3; ++round) {
    std::atomic<int> begun{0};
    for (int i = 0; i < many(); ++i) {
      runtime.spawn([&] {
        ++begun;
        while (begun < many()) std::this_thread::yield();
      });
    }
    while (begun < many()) std::this_thread::yield();  // this thread does not help
    runtime.wait();
    EXPECT_EQ(begun, many());
  }
}

TEST(Surplus, TasksThatSleepUntilAllHaveBegunDoAllBegin) {
  Runtime runtime(of_many());
  for (int round = 0; round < 10; ++round) {
    std::mutex mutex;
    std::condition_variable all;
    int begun = 0;
    for (int i = 0; i < many(); ++i) {
      runtime.spawn([&] {
        std::unique_lock lock(mutex);
        if (++begun == many()) all.notify_all();
        all.wait(lock, [&] { return begun == many(); });
      });
    }
    runtime.wait();
    EXPECT_EQ(begun, many());
  }
}

// A task that makes another like it until the flag is up keeps a worker busy for good, and its deque moving: what lies
// at the other end of that deque raises the flag.
void keep_going(const std::atomic<bool>& flag) {
  std::this_thread::yield();
  if (!flag) spawn([&flag] { keep_going(flag); });
}
TEST(Surplus, WhatOthersWaitForIsTakenThoughAllThatAreAwakeAreBusy) {
  Runtime runtime(of_many());
  for (int round = 0; round < 3; ++round) {
    std::atomic<bool> flag{false};
    for (int i = 0; i < many(); ++i) {
      runtime.spawn([&flag] {
        for (int k = 0; k < 4; ++k) spawn([&flag] { flag = true; });
        keep_going(flag);
      });
    }
    runtime.wait();
    EXPECT_TRUE(flag);
  }
}

TEST(Surplus, TheSpawningThreadMaySleepUntilATaskHasRun) {
  Runtime runtime(of_many());
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> ran{0};
    for (int i = 0; i < 100; ++i) {
      runtime.spawn([&ran] {
        ++ran;
        ran.notify_all();
      });
    }
    for (int seen = 0; seen != 100; seen = ran) ran.wait(seen);
    runtime.wait();
  }
}

}  // namespace
}  // namespace weir
