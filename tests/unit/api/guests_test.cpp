// SPDX-License-Identifier: Apache-2.0

// Threads of the program that spawn and wait beside the workers.
#include <malloc.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support.hpp"

namespace weir {
namespace {

using test::spin_until;

class Guests : public test::ForWorkers {};
WEIR_FOR_WORKERS(Guests);

TEST_P(Guests, SpawnAndWaitOnTheirOwn) {
  Runtime runtime(options());
  std::vector<std::thread> threads;
  std::atomic<int> runs{0};
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        int x = 0;
        for (int i = 0; i < 20; ++i) {
          runtime.spawn(inout(x), [&] {
            ++x;
            ++runs;
          });
        }
        runtime.wait();
        EXPECT_EQ(x, 20);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(runs, 6 * 20 * 20);
}

TEST_P(Guests, TheWorkersRunTheirTasksWhileTheyDoNotWait) {
  if (workers() < 2) GTEST_SKIP() << "worker 0 is the thread of this test";
  Runtime runtime(options());
  std::atomic<bool> ran{false};
  std::thread([&] {
    runtime.spawn([&] { ran = true; });
    spin_until(ran);
  }).join();
}

TEST_P(Guests, AreRefusedTasksWithBlocksAsOthersAre) {
  Runtime runtime(options());
  Runtime other(options());
  Block<int> own(runtime, 10), foreign(other, 10);
  std::thread([&] {
    EXPECT_THROW(runtime.spawn(inout(foreign), [](std::span<int>) {}), Error);
    EXPECT_THROW(runtime.spawn(inout(own), on_domain(99), [](std::span<int>) {}), Error);
  }).join();
  EXPECT_THROW(runtime.spawn(inout(own), on_domain(99), [](std::span<int>) {}), Error);
  runtime.spawn(out(own), [](std::span<int> numbers) { numbers[0] = 7; });
  runtime.wait();
}

// Made before the thread first uses a runtime, and so destroyed after what Weir has of the thread.
struct AtEnd {
  ~AtEnd() {
    if (call) call();
  }
  std::function<void()> call;
};
thread_local AtEnd at_end, later_at_end;

TEST_P(Guests, ThatUseARuntimeAgainWhileTheyEndGiveTheirPlaceBack) {
  Runtime runtime(options());
  std::vector<int> places;
  const auto use = [&] {
    runtime.spawn([] {});
    runtime.wait();
    places.push_back(current_worker());
  };
  for (int i = 0; i < 3; ++i) {
    std::thread([&] {
      at_end.call = later_at_end.call = use;
      use();
    }).join();
  }
  EXPECT_EQ(places, std::vector<int>(9, places.front())) << "of threads that were there one after the other";
}

TEST_P(Guests, MayEndWithTasksPending) {
  std::atomic<int> runs{0};
  {
    Runtime runtime(options());
    for (int t = 0; t < 40; ++t) {
      std::thread([&, t] {
        for (int i = 0; i <= t % 7; ++i) runtime.spawn([&] { ++runs; });
      }).join();
    }
  }
  int expected = 0;
  for (int t = 0; t < 40; ++t) expected += t % 7 + 1;
  EXPECT_EQ(runs, expected);
}

TEST_P(Guests, MayEndWithAnOpenReductionPending) {
  long sum = 0;
  {
    Runtime runtime(options());
    std::thread([&] {
      for (int i = 0; i < 30; ++i) runtime.spawn(reduce(sum, std::plus<>{}, 0L), [](long& copy) { ++copy; });
    }).join();
  }
  EXPECT_EQ(sum, 30);
}

// Each leaves a deque of another length behind; thieves look at several of them by turns.
TEST_P(Guests, ThatLeaveOneTaskEachAreNotForgotten) {
  std::atomic<int> runs{0};
  {
    Runtime runtime(options());
    std::atomic<int> ready{0};
    std::atomic<bool> go{false};
    std::vector<std::thread> threads;
    constexpr int kGuests = 40;
    for (int t = 0; t < kGuests; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 3 * t + 1; ++i) {
          runtime.spawn([&] { ++runs; });
          runtime.wait();
        }
        ++ready;
        spin_until(go);
        runtime.spawn([&] { ++runs; });
      });
    }
    spin_until([&] { return ready == kGuests; });
    go = true;
    for (auto& thread : threads) thread.join();
  }
  int expected = 0;
  for (int t = 0; t < 40; ++t) expected += 3 * t + 2;
  EXPECT_EQ(runs, expected);
}

TEST_P(Guests, ComeAndGoInAnyNumberOneAfterTheOther) {
  Runtime runtime(options());
  std::atomic<int> runs{0};
  for (int t = 0; t < 600; ++t) {
    std::thread([&] {
      runtime.spawn([&] { ++runs; });
      runtime.wait();
    }).join();
  }
  EXPECT_EQ(runs, 600);
}

TEST_P(Guests, DoNotInheritTheTasksAndErrorsOfThoseBeforeThem) {
  ::testing::internal::CaptureStderr();
  {
    Runtime runtime(options());
    std::atomic<bool> go{false};
    std::thread([&] { runtime.spawn([] { throw std::runtime_error("of the first guest"); }); }).join();
    if (workers() > 1) {
      std::thread([&] { runtime.spawn([&] { spin_until(go); }); }).join();
    }
    std::thread([&] {
      int x = 0;
      runtime.spawn(inout(x), [&] { x = 1; });
      EXPECT_NO_THROW(runtime.wait());
      EXPECT_EQ(x, 1);
    }).join();
    go = true;
  }
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("of the first guest"), std::string::npos);
}

TEST_P(Guests, FootprintsOfDifferentThreadsAreNotOrdered) {
  if (workers() < 2) GTEST_SKIP() << "one worker runs one task at a time";
  Runtime runtime(options());
  int x = 0;
  std::atomic<int> there{0};
  auto meet = [&] {
    ++there;
    spin_until([&] { return there == 2; });
  };
  runtime.spawn(inout(x), meet);
  std::thread([&] {
    runtime.spawn(inout(x), meet);
    runtime.wait();
  }).join();
  runtime.wait();
}

TEST_P(Guests, AHandleOrdersTasksOfDifferentThreads) {
  Runtime runtime(options());
  int x = 0;
  auto first = runtime.spawn([&] { x = 1; });
  std::thread([&, first] {
    int seen = 0;
    runtime.spawn(after(first), [&] { seen = x; });
    runtime.wait();
    EXPECT_EQ(seen, 1);
  }).join();
  runtime.wait();
}

TEST_P(Guests, AnErrorReachesTheThreadThatSpawned) {
  Runtime runtime(options());
  std::thread([&] {
    runtime.spawn([] { throw std::runtime_error("mine"); });
    EXPECT_THROW(runtime.wait(), std::runtime_error);
  }).join();
  EXPECT_NO_THROW(runtime.wait());
}

TEST(GuestsLimit, TheOneTooManyGetsAnError) {
  Runtime runtime(test::with_workers(1));
  std::atomic<bool> go{false};
  std::atomic<int> there{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < Runtime::kMaxThreads; ++t) {
    threads.emplace_back([&] {
      runtime.wait();
      ++there;
      go.wait(false);
    });
  }
  spin_until([&] { return there == Runtime::kMaxThreads; });
  std::thread([&] { EXPECT_THROW(runtime.wait(), Error); }).join();
  go = true;
  go.notify_all();
  for (auto& thread : threads) thread.join();
  std::thread([&] { EXPECT_NO_THROW(runtime.wait()); }).join();
}

// Nobody runs tasks but who waits: worker 0 is the thread of the test.
TEST(GuestsLimit, ThreadsThatHaveEndedTakeUpNoPlacesWhateverTasksTheyHaveLeft) {
  constexpr int kThreads = Runtime::kMaxThreads + 3;
  long sum = 0;
  int runs = 0;
  {
    Runtime runtime(test::with_workers(1));
    for (int t = 0; t < kThreads; ++t) {
      std::thread([&, t] {
        if (t % 2 == 0) EXPECT_NO_THROW(runtime.spawn([&] { ++runs; }));
        if (t % 2 == 1) EXPECT_NO_THROW(runtime.spawn(reduce(sum, std::plus<>(), 0L), [](long& copy) { ++copy; }));
      }).join();
    }
    EXPECT_GE(runs + sum, 3);
  }
  EXPECT_EQ(runs + sum, kThreads);
}

// Of the block map, whose pieces are those that a thread has named which did not wait.
TEST(GuestsLimit, APlaceThatIsTakenOverKeepsLittleMemory) {
  if (base::kUnderSanitizer) GTEST_SKIP() << "its malloc() does not tell what is in use";
  Runtime runtime(test::with_workers(1));
  std::vector<double> x(700);
  std::thread([&] {
    for (double& each : x) runtime.spawn(inout(each), [] {});
  }).join();
  runtime.wait_all();
  const std::size_t before = mallinfo2().uordblks;
  std::thread([&] { runtime.spawn([] {}); }).join();
  EXPECT_LT(mallinfo2().uordblks + 30'000, before);
  runtime.wait_all();
}

TEST(GuestsLimit, WhatTasksOfThreadsThatHaveEndedThrewIsReportedWhereTheirPlaceIsTaken) {
  auto runtime = std::make_unique<Runtime>(test::with_workers(1));
  for (int t = 0; t < Runtime::kMaxThreads; ++t)
    std::thread([&] { runtime->spawn([] { throw std::runtime_error("of one that ended"); }); }).join();
  runtime->wait_all();
  ::testing::internal::CaptureStderr();
  std::thread([&] {
    EXPECT_NO_THROW(runtime->spawn([] {}));
    EXPECT_NO_THROW(runtime->wait());
  }).join();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "weir: a task failed and no wait() took its exception: of one that ended\n");
  ::testing::internal::CaptureStderr();
  runtime.reset();  // reports what the others' have thrown
  EXPECT_FALSE(::testing::internal::GetCapturedStderr().empty());
}

}  // namespace
}  // namespace weir
