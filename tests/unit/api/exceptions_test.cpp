// SPDX-License-Identifier: Apache-2.0

// Exceptions: from the task to the waiter, and what becomes of the others.
#include <pthread.h>

#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.hpp"

namespace weir {
namespace {

using test::Counted;
using test::spin_until;

class Exceptions : public test::ForWorkers {};
WEIR_FOR_WORKERS(Exceptions);

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST_P(Exceptions, WaitThrowsWhatATaskThrewAndOnce) {
  Runtime runtime(options());
  runtime.spawn([] { throw std::out_of_range("here"); });
  try {
    runtime.wait();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "here");
  }
  runtime.wait();
}

TEST_P(Exceptions, TheRuntimeGoesOnAfterwards) {
  Runtime runtime(options());
  for (int round = 0; round < 20; ++round) {
    runtime.spawn([] { throw 1; });
    EXPECT_THROW(runtime.wait(), int);
    int x = 0;
    runtime.spawn(inout(x), [&x] { x = 1; });
    runtime.spawn(inout(x), [&x] { x += 1; });
    runtime.wait();
    EXPECT_EQ(x, 2);
  }
}

TEST_P(Exceptions, TheFirstWinsAndTheRestAreCounted) {
  if (workers() < 2) GTEST_SKIP() << "the second would be cancelled";
  Runtime runtime(options());
  std::atomic<int> there{0};
  for (int i = 0; i < 2; ++i) {
    runtime.spawn([&] {
      ++there;
      spin_until([&] { return there == 2; });
      throw std::runtime_error("mine");
    });
  }
  EXPECT_EQ(message_of([&] { runtime.wait(); }), "mine");
  EXPECT_EQ(runtime.statistics().exceptions_dropped, 1u);
}

TEST_P(Exceptions, TasksThatHaveNotStartedAreCancelled) {
  Runtime runtime(options());
  int x = 0;
  std::atomic<int> runs{0};
  {
    runtime.spawn(inout(x), [] { throw std::runtime_error("first"); });
    for (int i = 0; i < 100; ++i) runtime.spawn(inout(x), [&runs, c = Counted()] { ++runs; });
    EXPECT_THROW(runtime.wait(), std::runtime_error);
  }
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(Counted::alive, 0);
  const Statistics statistics = runtime.statistics();
  EXPECT_EQ(statistics.tasks_cancelled, 100u);
  EXPECT_EQ(statistics.tasks_run, 1u);
}

TEST_P(Exceptions, ATaskOfAnotherScopeIsNotCancelled) {
  Runtime runtime(options());
  std::atomic<int> runs{0};
  runtime.spawn([&] {
    spawn([] { throw 1; });
    try {
      wait();
      ADD_FAILURE() << "nothing was thrown";
    } catch (int) {
    }
  });
  for (int i = 0; i < 100; ++i) runtime.spawn([&] { ++runs; });
  runtime.wait();
  EXPECT_EQ(runs, 100);
}

TEST_P(Exceptions, WhatAParentDoesNotTakeGoesOnToItsScope) {
  Runtime runtime(options());
  auto handle = runtime.spawn([] { spawn([] { spawn([] { throw std::runtime_error("grandchild"); }); }); });
  EXPECT_EQ(message_of([&] { runtime.wait(handle); }), "grandchild");
  EXPECT_EQ(message_of([&] { runtime.wait(); }), "grandchild");
}

TEST_P(Exceptions, WaitingForAHandleThrowsAndLeavesItForWait) {
  Runtime runtime(options());
  auto bad = runtime.spawn([]() -> int { throw std::runtime_error("bad"); });
  EXPECT_EQ(message_of([&] { runtime.wait(bad); }), "bad");
  EXPECT_EQ(message_of([&] { bad.get(); }), "bad");
  EXPECT_EQ(message_of([&] { runtime.wait(); }), "bad");
  EXPECT_TRUE(bad.finished());
  EXPECT_EQ(message_of([&] { bad.get(); }), "bad") << "the scope's exception was taken, the handle has the task's";
}

TEST_P(Exceptions, ACancelledTaskWithAResultHasNone) {
  Runtime runtime(options());
  int x = 0;
  runtime.spawn(inout(x), [] { throw 1; });
  auto handle = runtime.spawn(in(x), [] { return std::string("never"); });
  EXPECT_THROW(runtime.wait(), int);
  EXPECT_TRUE(handle.finished());
  EXPECT_THROW(handle.get(), Error);
}

TEST_P(Exceptions, ACancelledCommutativeTaskLetsTheOthersPass) {
  Runtime runtime(options());
  for (int round = 0; round < 20; ++round) {
    int a = 0, b = 0;
    for (int i = 0; i < 30; ++i) {
      runtime.spawn(commutative(a), commutative(b), [&, i] {
        if (i == 7) throw i;
        ++a;
      });
    }
    EXPECT_THROW(runtime.wait(), int);
    a = 0;
    for (int i = 0; i < 30; ++i) runtime.spawn(commutative(a), [&] { ++a; });
    runtime.wait();
    EXPECT_EQ(a, 30);
  }
}

TEST_P(Exceptions, AFailedReductionIsNotFoldedAndTheNextOneIs) {
  Runtime runtime(options());
  for (const bool ordered : {false, true}) {
    static constexpr long kZero = 0;
    long sum = 5;
    auto item = [&] { return ordered ? reduce_ordered(sum, std::plus<>{}, kZero) : reduce(sum, std::plus<>{}, kZero); };
    for (int i = 0; i < 50; ++i) {
      runtime.spawn(item(), [i](long& copy) {
        ++copy;
        if (i == 20) throw i;
      });
    }
    EXPECT_THROW(runtime.wait(), int);
    EXPECT_EQ(sum, 5);
    for (int i = 0; i < 50; ++i) runtime.spawn(item(), [](long& copy) { ++copy; });
    runtime.wait();
    EXPECT_EQ(sum, 55);
  }
}

struct ThrowingSum {
  long operator()(long a, long b) const {
    if (b > 0) throw std::runtime_error("combine");
    return a + b;
  }
};

TEST_P(Exceptions, ACombineThatThrowsReachesTheWaiter) {
  Runtime runtime(options());
  long sum = 0;
  runtime.spawn(reduce(sum, ThrowingSum{}, 0L), [](long& copy) { ++copy; });
  EXPECT_EQ(message_of([&] { runtime.wait(); }), "combine");
  runtime.spawn([] {});
  runtime.wait();
}

TEST_P(Exceptions, AThrowingParentStillWaitsForItsChildren) {
  Runtime runtime(options());
  std::atomic<int> runs{0};
  int at_wait = 0;
  runtime.spawn([&] {
    for (int i = 0; i < 20; ++i) spawn([&] { ++runs; });
    throw std::runtime_error("parent");
  });
  EXPECT_EQ(message_of([&] { runtime.wait(); }), "parent");
  at_wait = runs;
  EXPECT_EQ(at_wait, 20);
}

TEST_P(Exceptions, AfterTasksOfAFailedScopeAreCancelledToo) {
  Runtime runtime(options());
  std::atomic<bool> ran{false};
  auto bad = runtime.spawn([] { throw 1; });
  runtime.spawn(after(bad), [&] { ran = true; });
  EXPECT_THROW(runtime.wait(), int);
  EXPECT_FALSE(ran);
}

TEST_P(Exceptions, TheDestructorReportsWhatNobodyTook) {
  ::testing::internal::CaptureStderr();
  {
    Runtime runtime(options());
    runtime.spawn([] { throw std::runtime_error("nobody took me"); });
  }
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("nobody took me"), std::string::npos) << text;
}

TEST_P(Exceptions, TheDestructorSaysOfWhichTypeThatIsWhichHasNoText) {
  ::testing::internal::CaptureStderr();
  {
    Runtime runtime(options());
    runtime.spawn([] { throw std::vector<int>(3); });
  }
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("took its exception: an exception of type std::vector<int"), std::string::npos) << text;
}

// Tasks that a wait runs on top of a handler, or of a destructor that is called for an exception.
TEST_P(Exceptions, TasksSeeNothingOfThoseThatTheWaiterHandles) {
  Runtime runtime(options());
  std::atomic<int> runs{0}, seen{0};
  const auto spawn_some = [&] {
    for (int i = 0; i < 20; ++i) {
      runtime.spawn([&, i] {
        seen += std::current_exception() != nullptr || std::uncaught_exceptions() != 0 ? 1 : 0;
        ++runs;
        if (i == 19) throw i;
      });
    }
  };
  struct WaitsAtTheEnd {
    Runtime& runtime;
    ~WaitsAtTheEnd() {
      EXPECT_EQ(std::uncaught_exceptions(), 1);
      EXPECT_THROW(runtime.wait(), int);
      EXPECT_EQ(std::uncaught_exceptions(), 1);
    }
  };
  try {
    const WaitsAtTheEnd waits{runtime};
    spawn_some();
    throw std::runtime_error("of the waiter");
  } catch (const std::runtime_error&) {
    spawn_some();
    EXPECT_THROW(runtime.wait(), int);
    EXPECT_EQ(message_of([] { throw; }), "of the waiter");
  }
  EXPECT_EQ(std::current_exception(), nullptr);
  EXPECT_GT(runs, 1);
  EXPECT_EQ(seen, 0);
}

TEST(ExceptionsOfForks, TasksOfAHalfThatHasFailedSeeNothingOfItsException) {
  Runtime runtime(test::with_workers(2));
  std::atomic<int> runs{0}, seen{0};
  std::atomic<bool> is_taken{false};
  runtime.spawn([&] {
    const auto fail = [&] {
      is_taken = true;
      for (int i = 0; i < 5; ++i) {
        spawn([&] {
          seen += std::current_exception() != nullptr ? 1 : 0;
          ++runs;
        });
      }
      throw std::runtime_error("of a half");
    };
    EXPECT_THROW(fork_join(
                     [&] {
                       while (!is_taken) std::this_thread::yield();
                     },
                     fail),
                 std::runtime_error);
  });
  runtime.wait();
  EXPECT_EQ(runs, 5);
  EXPECT_EQ(seen, 0);
}

TEST(ExceptionsDeathTest, ATaskThatEndsItsThreadIsNamed) {
  EXPECT_DEATH(
      {
        Runtime runtime(test::with_workers(1));
        runtime.spawn(name("leaver"), [] { pthread_exit(nullptr); });
        runtime.wait();
      },
      "weir: task 'leaver', spawned at [^\n]*, ends its thread by pthread_exit\\(\\), is cancelled by "
      "pthread_cancel\\(\\), or throws what is no exception of C\\+\\+: the thread has other tasks to run; return from "
      "the task instead");
}

TEST_P(Exceptions, ManyFailingScopesAtOnce) {
  Runtime runtime(options());
  std::atomic<int> caught{0};
  for (int i = 0; i < 100; ++i) {
    runtime.spawn([&] {
      for (int child = 0; child < 10; ++child)
        spawn([child] {
          if (child % 3 == 0) throw child;
        });
      try {
        wait();
      } catch (int) {
        ++caught;
      }
    });
  }
  runtime.wait();
  EXPECT_EQ(caught, 100);
}

}  // namespace
}  // namespace weir
