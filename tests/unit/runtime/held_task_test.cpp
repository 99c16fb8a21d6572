// SPDX-License-Identifier: Apache-2.0

// Held tasks run once their predecessors have ended and they were released, and prompt ones where they become ready.
#include "runtime/held_task.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include "one_worker.hpp"
#include "weir/weir.hpp"

namespace weir::runtime {
namespace {

TEST(PromptTasks, RunWhereTheirLastPredecessorEndsBeforeOthersThatAreReady) {
  Runtime runtime(one_worker());
  int value = 0;
  std::vector<int> order;
  runtime.spawn([&] {
    spawn(out(value), [&] { order.push_back(0); });
    spawn(in(std::as_const(value)), Priority::urgent, [&] { order.push_back(2); });
    spawn(in(std::as_const(value)), kPrompt, [&] { order.push_back(1); });
    wait();
  });
  runtime.wait();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
}

TEST(PromptTasks, RunInsideOfSpawnWhenTheyWaitForNothing) {
  Runtime runtime(one_worker());
  bool has_run = false;
  runtime.spawn(kPrompt, [&] { has_run = true; });
  EXPECT_TRUE(has_run);
  runtime.wait();
}

TEST(PromptTasks, OneThatAnotherMakesReadyIsQueued) {
  Runtime runtime(one_worker());
  bool inner = false;
  runtime.spawn(kPrompt, [&] {
    spawn(kPrompt, [&] { inner = true; });
    EXPECT_FALSE(inner) << "it has run on top of the other";
  });
  runtime.wait();
  EXPECT_TRUE(inner);
}

TEST(HeldTasks, WaitForTheirReleaseAndForTheirPredecessors) {
  for (const bool released_first : {true, false}) {
    Runtime runtime(one_worker());
    int value = 0;
    const Handle<> before = runtime.spawn(out(value), [&] { value = 1; });
    const Handle<> behind = runtime.spawn(inout(value), kHeld, [&] { value *= 10; });
    const HeldTask held(behind);
    if (released_first) {
      EXPECT_FALSE(held.try_release_here()) << "its predecessor has not run";
      held.release();
      EXPECT_EQ(value, 0);
    } else {
      wait(before);
      EXPECT_FALSE(behind.finished());
      EXPECT_TRUE(held.try_release_here());
      EXPECT_EQ(value, 10);
    }
    runtime.wait();
    EXPECT_EQ(value, 10);
  }
}

TEST(HeldTasks, ReleasedByAThreadThatRunsNoTasksAreRunByAWorker) {
  Runtime runtime(one_worker());
  int value = 0;
  const HeldTask held(runtime.spawn(out(value), kHeld, [&] { value = 1; }));
  std::thread other([&] {
    EXPECT_FALSE(held.try_release_here());
    held.release();
  });
  runtime.wait();
  EXPECT_EQ(value, 1);
  other.join();
}

TEST(HeldTasks, FailTheirScopeAsOthersDo) {
  Runtime runtime(one_worker());
  const HeldTask held(runtime.spawn(kHeld, [] { throw std::runtime_error("nothing came"); }));
  held.release();
  EXPECT_THROW(runtime.wait(), std::runtime_error);
}

TEST(HeldTasks, WithBlocksThatWaitForRoomAskForItWhenTheyAreReleased) {
  Options options = one_worker();
  options.tiers = "memory=64KiB,emulated=1MiB@1";
  Runtime runtime(options);
  const Block<char> first(runtime, 40000), second(runtime, 40000);
  const HeldTask held(runtime.spawn(out(first), kHeld, [](std::span<char> bytes) { bytes[0] = 'a'; }));
  wait(runtime.spawn(out(second), [](std::span<char> bytes) { bytes[0] = 'b'; }));  // needs all the room
  held.release();
  char seen[2] = {};
  runtime.spawn(in(first), [&](std::span<const char> bytes) { seen[0] = bytes[0]; });
  runtime.spawn(in(second), [&](std::span<const char> bytes) { seen[1] = bytes[0]; });
  runtime.wait();
  EXPECT_EQ(seen[0], 'a');
  EXPECT_EQ(seen[1], 'b');
}

}  // namespace
}  // namespace weir::runtime
