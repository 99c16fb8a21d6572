// SPDX-License-Identifier: Apache-2.0

// Handles, waiting for one task, after(), priorities.
#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weir {
namespace {

using test::spin_until;

class Handles : public test::ForWorkers {};
WEIR_FOR_WORKERS(Handles);

TEST_P(Handles, ADefaultMadeHandleIsFinished) {
  Runtime runtime(options());
  const Handle<void> none;
  const Handle<int> no_result;
  EXPECT_TRUE(none.finished());
  EXPECT_TRUE(no_result.finished());
  runtime.wait(none);
  EXPECT_THROW(no_result.get(), Error);
}

TEST_P(Handles, WaitingForOneTaskDoesNotWaitForItsSuccessors) {
  Runtime runtime(options());
  int x = 0;
  auto first = runtime.spawn(inout(x), [&] { x = 1; });
  std::atomic<bool> go{false};
  auto second = runtime.spawn(after(first), [&] { spin_until(go); });
  if (workers() == 1) go = true;  // the one worker may take it while it waits
  runtime.wait(first);
  EXPECT_TRUE(first.finished());
  EXPECT_EQ(x, 1);
  go = true;
  runtime.wait(second);
  EXPECT_TRUE(second.finished());
}

TEST_P(Handles, AHandleStaysFinishedAfterItsMemoryWasUsedAgain) {
  Runtime runtime(options());
  std::vector<Handle<void>> handles;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 50; ++i) handles.push_back(runtime.spawn([] {}));
    runtime.wait();
    for (const auto& handle : handles) ASSERT_TRUE(handle.finished());
    runtime.wait(handles.front());
  }
}

TEST_P(Handles, OnceFinishedAHandleNeverSaysOtherwise) {
  Runtime runtime(options());
  std::atomic<bool> stop{false};
  std::atomic<int> again{0};
  std::atomic<bool> started{false};
  auto seen = std::make_shared<std::vector<Handle<void>>>();
  for (int i = 0; i < 8; ++i) seen->push_back(runtime.spawn([] {}));
  runtime.wait();
  std::thread looker([&, seen] {
    started = true;
    while (!stop) {
      for (const auto& handle : *seen) again += !handle.finished();
    }
  });
  spin_until(started);
  for (int i = 0; i < 20000; ++i) {
    runtime.spawn([] {});
    if (i % 4 == 3) runtime.wait();
  }
  runtime.wait();
  stop = true;
  looker.join();
  EXPECT_EQ(again, 0);
}

TEST_P(Handles, AResultIsThereLongAfterTheTask) {
  Runtime runtime(options());
  std::vector<Handle<int>> handles;
  for (int i = 0; i < 2000; ++i) handles.push_back(runtime.spawn([i] { return i * i; }));
  runtime.wait();
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(handles[static_cast<std::size_t>(i)].get(), i * i);
}

TEST_P(Handles, AThreadOfTheProgramMayWaitForATaskOfAnother) {
  Runtime runtime(options());
  std::atomic<bool> go{false};
  auto handle = runtime.spawn([&] {
    if (workers() > 1) spin_until(go);
    return 5;
  });
  std::thread other([&, handle] {
    go = true;
    EXPECT_EQ(handle.get(), 5);
    EXPECT_TRUE(handle.finished());
  });
  other.join();
  runtime.wait();
}

TEST_P(Handles, EveryThreadGetsWhatATaskHasThrownInsteadOfAResult) {
  Runtime runtime(options());
  const Handle<int> handle = runtime.spawn([]() -> int { throw std::runtime_error("the cause"); });
  const auto cause = [&]() -> std::string {
    try {
      handle.get();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(cause(), "the cause");
  std::thread([&] { EXPECT_EQ(cause(), "the cause"); }).join();
  std::string in_task;
  EXPECT_THROW(runtime.wait(), std::runtime_error);
  runtime.spawn([&] { in_task = cause(); });
  EXPECT_NO_THROW(runtime.wait());
  EXPECT_EQ(in_task, "the cause");
  EXPECT_EQ(cause(), "the cause") << "wait() has taken the same";
}

TEST_P(Handles, OfATaskThatHasNotRunSayWhoKnowsWhy) {
  Runtime runtime(options());
  const auto failed = runtime.spawn([] { throw std::runtime_error("the cause"); });
  const Handle<int> cancelled = runtime.spawn(after(failed), [] { return 1; });
  std::thread([&] {
    try {
      cancelled.get();
      ADD_FAILURE() << "a result of a task that was cancelled";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(),
                  testing::HasSubstr("it was cancelled or could not begin, of which wait() tells the cause "
                                     "to the thread or task that spawned it"));
    }
  }).join();
  EXPECT_THROW(runtime.wait(), std::runtime_error);
  try {
    Handle<int>().get();
    ADD_FAILURE() << "a result of no task";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("refers to no task"));
  }
}

TEST_P(Handles, AfterOrdersTasksWithoutFootprints) {
  Runtime runtime(options());
  std::vector<int> order;
  Handle<void> last;
  for (int i = 0; i < 300; ++i) last = runtime.spawn(after(last), [&order, i] { order.push_back(i); });
  runtime.wait(last);
  ASSERT_EQ(order.size(), 300u);
  for (int i = 0; i < 300; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  runtime.wait();
}

TEST_P(Handles, ATaskMayComeAfterSeveralAndByFootprintToo) {
  Runtime runtime(options());
  std::atomic<int> done{0};
  int x = 0, seen = -1;
  auto a = runtime.spawn([&] { ++done; });
  auto b = runtime.spawn([&] { return ++done; });
  auto c = runtime.spawn(inout(x), [&] { ++done; });
  runtime.spawn(after(a), after(b), inout(x), after(c), after(a), [&] { seen = done; });
  runtime.wait();
  EXPECT_EQ(seen, 3);
}

TEST_P(Handles, AfterReachesAcrossScopes) {
  Runtime runtime(options());
  int x = 0, seen = 0;
  auto first = runtime.spawn([&] { spawn([&] { x = 1; }); });
  runtime.spawn([&, first] { spawn(after(first), [&] { seen = x; }); });
  runtime.wait();
  EXPECT_EQ(seen, 1);
}

TEST_P(Handles, AHandleMayBeCopiedMovedAndForgotten) {
  Runtime runtime(options());
  Handle<int> a = runtime.spawn([] { return 1; });
  Handle<int> b = a;
  Handle<int> c = std::move(a);
  b = c;
  b = std::move(c);
  const Handle<void> d = b;
  EXPECT_EQ(b.get(), 1);
  EXPECT_TRUE(d.finished());
  runtime.wait();
}

TEST(HandlesDeathTest, ATaskThatWaitsForItselfOrForOneBeneathItDiesWithAMessage) {
  EXPECT_DEATH(
      {
        Runtime runtime(test::with_workers(1));
        Handle<void> self;
        self = runtime.spawn([&] { wait(self); });
        runtime.wait();
      },
      "waits for itself");
  EXPECT_DEATH(
      {
        Runtime runtime(test::with_workers(1));
        Handle<void> beneath;
        beneath = runtime.spawn([&] {
          auto last = spawn(Priority::background, [] {});
          wait(last);
        });
        runtime.spawn([&] { wait(beneath); });
        runtime.wait();
      },
      "waits beneath it");
}

TEST_P(Handles, UrgentTasksComeFirstAndBackgroundTasksLast) {
  if (workers() != 1) GTEST_SKIP() << "an order is there to be seen with one worker only";
  Runtime runtime(options());
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) runtime.spawn(Priority::background, [&order] { order.push_back(3); });
  for (int i = 0; i < 3; ++i) runtime.spawn([&order] { order.push_back(2); });
  for (int i = 0; i < 3; ++i) runtime.spawn(Priority::urgent, [&order] { order.push_back(1); });
  runtime.wait();
  EXPECT_EQ(order, (std::vector{1, 1, 1, 2, 2, 2, 3, 3, 3}));
}

TEST_P(Handles, APriorityNeverOverridesADependence) {
  Runtime runtime(options());
  int x = 0, seen = -1;
  runtime.spawn(Priority::background, inout(x), [&] { x = 1; });
  runtime.spawn(Priority::urgent, in(x), [&] { seen = x; });
  runtime.wait();
  EXPECT_EQ(seen, 1);
}

TEST_P(Handles, ManyTasksOfAllPrioritiesRunOnce) {
  Runtime runtime(options());
  std::atomic<int> runs{0};
  for (int i = 0; i < 999; ++i) runtime.spawn(static_cast<Priority>(i % 3), [&] { ++runs; });
  runtime.wait();
  EXPECT_EQ(runs, 999);
}

}  // namespace
}  // namespace weir
