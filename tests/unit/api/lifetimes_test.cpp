// SPDX-License-Identifier: Apache-2.0

// What dies before what uses it: blocks before their tasks, runtimes before their blocks, in every order and with
// exceptions under way. AddressSanitizer sees what is used too late.
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "on_tiers.hpp"

namespace weir {
namespace {

using test::error_of;
using test::fill;
using test::spin_until;
using test::with_workers;
using testing::HasSubstr;

class Lifetimes : public test::OnTiers {};
WEIR_ON_TIERS(Lifetimes);

TEST_P(Lifetimes, ABlockThatDiesWithAnExceptionWaitsForItsTasks) {
  int runs = 0;
  EXPECT_THROW(
      {
        Runtime runtime(options());
        Block<double> block(runtime, kElements);
        for (int i = 0; i < 20; ++i) {
          runtime.spawn(inout(block), inout(runs), [](std::span<double> values, int& n) {
            fill(values);
            ++n;
          });
        }
        throw std::runtime_error("x");
      },
      std::runtime_error);
  EXPECT_EQ(runs, 20);
}

TEST_P(Lifetimes, ABlockWaitsForItsOwnTasksAloneAndKeepsTheirExceptions) {
  Runtime runtime(options());
  std::atomic<bool> go{false};
  std::atomic<int> runs{0};
  if (GetParam().workers > 1) runtime.spawn([&] { spin_until(go); });  // none of the block's
  {
    Block<double> block(runtime, kElements);
    for (int i = 0; i < 50; ++i) {
      runtime.spawn(inout(block), [&](std::span<double> values) {
        fill(values);
        ++runs;
      });
    }
    runtime.spawn(in(block), [] { throw std::runtime_error("kept"); });
  }
  EXPECT_EQ(runs, 50);
  go = true;
  EXPECT_THROW(runtime.wait(), std::runtime_error);
}

TEST_P(Lifetimes, AnArrayAndABlockOfAVectorWaitToo) {
  for (int round = 0; round < 10; ++round) {
    Runtime runtime(options());
    std::vector<Block<double>> blocks;
    using Extents = Array<double, 2>::Extents;
    auto array = std::make_unique<Array<double, 2>>(runtime, Extents{64, 64}, Extents{16, 20}, "a");
    for (int i = 0; i < 5; ++i) {
      blocks.emplace_back(runtime, kElements);
      for (std::size_t t = 0; t < 4; ++t)
        runtime.spawn(inout(array->tile(t, t)), inout(blocks.back()),
                      [](View2D<double> tile, std::span<double> values) {
                        for (std::size_t row = 0; row < tile.rows(); ++row) fill({tile.row(row), tile.cols()});
                        fill(values);
                      });
    }
    if (round % 2 == 0) {
      blocks.erase(blocks.begin() + 2);
      array.reset();
      blocks.clear();
    }
  }
}

TEST_P(Lifetimes, ABlockWaitsForTasksThatWereMadeInTasks) {
  if (GetParam().workers == 1) GTEST_SKIP() << "this thread runs no tasks before it waits";
  Runtime runtime(options());
  std::atomic<int> runs{0}, named{0};
  {
    Block<double> block(runtime, kElements);
    for (int i = 0; i < 10; ++i) {
      runtime.spawn([&] {
        for (int k = 0; k < 10; ++k) {
          // Tasks of different tasks have no order between them: here only memory that is gone would be wrong.
          spawn(inout(block), [&](std::span<double> values) {
            for (double& value : values) std::atomic_ref(value).fetch_add(1, std::memory_order_relaxed);
            ++runs;
          });
        }
        ++named;
      });
    }
    spin_until([&] { return named == 10; });
  }
  EXPECT_EQ(runs, 100);
  runtime.wait();
}

TEST_P(Lifetimes, ABlockOfATaskWaitsForTheTasksThatNameIt) {
  Runtime runtime(options());
  std::atomic<int> runs{0};
  for (int i = 0; i < 10; ++i) {
    runtime.spawn([&] {
      Block<double> block(runtime, kElements);
      for (int k = 0; k < 10; ++k) {
        spawn(inout(block), [&](std::span<double> values) {
          fill(values);
          ++runs;
        });
      }
    });
  }
  runtime.wait();
  EXPECT_EQ(runs, 100);
}

TEST_P(Lifetimes, ABlockWaitsForTasksOfOtherThreads) {
  Runtime runtime(options());
  for (int round = 0; round < 10; ++round) {
    std::atomic<int> runs{0};
    std::optional<Block<double>> block(std::in_place, runtime, kElements);
    std::atomic<bool> spawned{false}, gone{false};
    std::thread other([&] {
      for (int k = 0; k < 20; ++k) {
        runtime.spawn(inout(*block), [&](std::span<double> values) {
          fill(values);
          ++runs;
        });
      }
      spawned = true;
      spin_until(gone);
      runtime.wait();
    });
    spin_until(spawned);
    block.reset();
    EXPECT_EQ(runs, 20);
    gone = true;
    other.join();
  }
}

TEST_P(Lifetimes, AnAdoptedBlockHasItsContentsBackWhenItIsGone) {
  Runtime runtime(options());
  std::vector<double> mine(kElements);
  {
    auto block = Block<double>::adopt(runtime, mine.data(), mine.size());
    for (int i = 0; i < 20; ++i) runtime.spawn(inout(block), fill);
    block.flush();
    EXPECT_EQ(mine, std::vector<double>(kElements, 20));
    for (int i = 0; i < 20; ++i) runtime.spawn(inout(block), fill);
  }
  EXPECT_EQ(mine, std::vector<double>(kElements, 40));
}

TEST_P(Lifetimes, ARuntimeThatEndsBeforeItsBlocksSaysSoAndLeavesThemEmpty) {
  std::vector<double> mine(kElements);
  Runtime other(options());
  auto runtime = std::make_unique<Runtime>(options());
  Block<double> block(*runtime, kElements, "left");
  Array<double, 1> array(*runtime, {100}, {10});
  auto adopted = Block<double>::adopt(*runtime, mine.data(), mine.size());
  for (int i = 0; i < 10; ++i) {
    runtime->spawn(inout(block), inout(adopted), [](std::span<double> a, std::span<double> b) { fill(a), fill(b); });
    runtime->spawn(inout(array.tile(3)), fill);
  }
  testing::internal::CaptureStderr();
  runtime.reset();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("a runtime ends before 12 of its blocks, \"left\" among them"));
  EXPECT_EQ(mine, std::vector<double>(kElements, 10));
  EXPECT_THAT(error_of([&] { other.spawn(in(block), [] {}); }), HasSubstr("block \"left\", whose runtime has ended"));
  EXPECT_THAT(error_of([&] { other.spawn(in(array.tile(1)), [] {}); }), HasSubstr("whose runtime has ended"));
  EXPECT_THAT(error_of([&] { block.flush(); }), HasSubstr("whose runtime has ended"));
  block = Block<double>(other, 10, "new");
  other.spawn(out(block), fill);
}

TEST_P(Lifetimes, WhatWasMovedFromIsNamed) {
  Runtime runtime(options());
  Block<double> from(runtime, kElements);
  Block<double> to = std::move(from);
  int x = 0;
  EXPECT_EQ(from.size(), 0u);  // NOLINT(bugprone-use-after-move)
  EXPECT_THAT(error_of([&] { runtime.spawn(inout(x), out(from), [] { FAIL(); }); }),
              HasSubstr("item 2 of a footprint"));
  EXPECT_THAT(error_of([&] { from.flush(); }), HasSubstr("moved from"));
  EXPECT_DEATH(from.data(), "data.. of a block that was moved from");
  Array<int, 2> grid(runtime, {4, 4}, {2, 2});
  const Array<int, 2> there = std::move(grid);
  EXPECT_THAT(error_of([&] { grid.flush(); }), HasSubstr("moved from"));  // NOLINT(bugprone-use-after-move)
  EXPECT_DEATH(grid.tile(0, 0), "tile.. of an array that was moved from");
  runtime.spawn(out(to), fill);
  runtime.spawn(inout(x), [&] { x = 1; });
  runtime.wait();
  EXPECT_EQ(x, 1);
}

TEST_P(Lifetimes, ABlockOfAnotherRuntimeIsNamed) {
  Runtime a(options()), b(options());
  Block<double> of_a(a, kElements, "of a"), of_b(b, kElements, "of b");
  EXPECT_THAT(error_of([&] { b.spawn(in(of_a), [] { FAIL(); }); }),
              HasSubstr("block \"of a\", whose runtime is another"));
  EXPECT_THAT(error_of([&] { a.spawn(in(of_a), out(of_b), [] { FAIL(); }); }), HasSubstr("block \"of b\""));
  a.spawn(out(of_a), fill);
  b.spawn(out(of_b), fill);
}

TEST_P(Lifetimes, HandlesOutliveTheirRuntime) {
  Runtime other(options());
  Handle<int> handle;
  Handle<> plain;
  {
    Runtime runtime(options());
    handle = runtime.spawn([] { return 42; });
    plain = handle;
  }
  EXPECT_TRUE(handle.finished());
  EXPECT_TRUE(plain.finished());
  EXPECT_THAT(error_of([&] { other.spawn(after(plain), [] { FAIL(); }); }), HasSubstr("after()"));
  Runtime third(options());
  auto running = third.spawn([] {});
  EXPECT_THAT(error_of([&] { other.spawn(after(running), [] { FAIL(); }); }), HasSubstr("another runtime"));
}

TEST_P(Lifetimes, AWatchedArrayWaitsForItsTasks) {
  Runtime runtime(options());
  std::vector<int> data(1000);
  for (int round = 0; round < 20; ++round) {
    Watched<int> watched(data.data(), 10, 100, 100, 1, 10);
    for (std::size_t row = 0; row < 10; ++row) {
      runtime.spawn(inout(watched.tile(row, 0, 1, 100)), [](View2D<int> tile) {
        for (std::size_t i = 0; i < tile.cols(); ++i) ++tile(0, i);
      });
      runtime.spawn(
          [&] { spawn(in(watched.rows(2, 3)), [](View2D<const int> rows) { static_cast<void>(rows(2, 99)); }); });
    }
  }
  runtime.wait();
  EXPECT_EQ(data, std::vector<int>(1000, 20));
}

TEST_P(Lifetimes, AWatchedArrayOfATaskThatThrowsWaits) {
  Runtime runtime(options());
  std::atomic<int> runs{0};
  for (int i = 0; i < 10; ++i) {
    runtime.spawn([&] {
      std::vector<int> data(100);
      Watched<int> watched(data.data(), 100, 10);
      for (std::size_t b = 0; b < 10; ++b)
        spawn(out(watched.block(b)), [&](View2D<int> block) { runs += block(0, 0) = 1; });
      throw std::runtime_error("x");
    });
    EXPECT_THROW(runtime.wait(), std::runtime_error);
  }
  EXPECT_EQ(runs, 100);
}

// ---- Runtimes ----

TEST(RuntimeLifetimes, OneThatIsDestroyedInItsOwnTaskSaysSo) {
  EXPECT_DEATH(
      {
        auto* const runtime = new Runtime(with_workers(2));
        runtime->spawn(name("suicide"), [=] { delete runtime; });
        runtime->wait();
      },
      "a runtime is destroyed inside a task named suicide of its own");
}

// exit() destroys what is static on the thread that calls it, which has forgotten by then in which runtimes it is.
TEST(RuntimeLifetimes, OneThatIsStaticSaysThatATaskOfItsMakerHasCalledExit) {
  EXPECT_DEATH(
      {
        alarm(60);
        static Runtime runtime(with_workers(1));
        runtime.spawn(name("leaver"), [] { std::exit(5); });
        runtime.wait();
      },
      "a runtime is destroyed inside a task named leaver of its own");
}

TEST(RuntimeLifetimes, OneThatIsStaticSaysThatATaskOfAnotherRuntimeInItsTaskHasCalledExit) {
  EXPECT_DEATH(
      {
        alarm(60);
        static Runtime inner(with_workers(1));
        static Runtime outer(with_workers(1));  // ends first
        outer.spawn(name("around"), [] {
          inner.spawn([] { std::exit(5); });
          inner.wait();
        });
        outer.wait();
      },
      "a runtime is destroyed inside a task named around of its own");
}

TEST(RuntimeLifetimes, OneThatIsDestroyedByAnotherThreadSaysSo) {
  EXPECT_DEATH(
      {
        auto* const runtime = new Runtime(with_workers(2));
        std::thread([=] { delete runtime; }).join();
      },
      "a runtime is destroyed by another thread than the one that made it");
}

TEST(RuntimeLifetimes, OneWhoseMakerHasEndedMayBeDestroyedByAnyThread) {
  std::unique_ptr<Runtime> runtime;
  std::atomic<int> runs{0};
  std::thread([&] {
    runtime = std::make_unique<Runtime>(with_workers(2));
    for (int i = 0; i < 100; ++i) runtime->spawn([&] { ++runs; });
  }).join();
  runtime.reset();
  EXPECT_EQ(runs, 100);
  EXPECT_EQ(current_worker(), -1);
}

// Static objects are destroyed when the main thread's own have been.
// The third one's task ends when the array is gone.
TEST(RuntimeLifetimes, AWatchedArrayWaitsForThoseThatHaveNamedItAlone) {
  Runtime a(with_workers(2)), b(with_workers(2));
  std::atomic<bool> running{false}, go{false};
  std::thread other([&] {
    Runtime c(with_workers(2));
    c.spawn([&] {
      running = true;
      spin_until(go);
    });
    c.wait();
  });
  spin_until(running);
  int x[8] = {};
  {
    const Watched<int> watched(x, 8, 4);
    for (int round = 0; round < 2; ++round) {  // also from another scope of each
      for (Runtime* const runtime : {&a, &b}) {
        runtime->spawn(inout(watched.block(0)), [&x] { ++x[0]; });
        runtime->spawn([&] { spawn(in(watched.block(1)), [] {}); });
        runtime->wait();
      }
    }
    a.spawn(inout(watched.block(1)), [&x] { ++x[4]; });
    b.spawn(inout(watched.block(0)), [&x] { ++x[0]; });
  }
  EXPECT_EQ(x[0], 5);
  EXPECT_EQ(x[4], 1);
  go = true;
  other.join();
}

TEST(RuntimeLifetimes, AWatchedArrayOfSeveralRuntimesLeavesThoseThatEndAlone) {
  Options options = with_workers(1);
  options.explain = Explain::off;
  Runtime a(options), b(options);
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) {
      Runtime c(options);
      c.spawn([] {});
      c.wait();
    }
  });
  int x[8] = {};
  for (int i = 0; i < 1000; ++i) {
    const Watched<int> watched(x, 8, 4);
    a.spawn(out(watched.block(0)), [&x] { x[0] = 1; });
    a.wait();
    b.spawn(out(watched.block(0)), [&x] { x[0] = 2; });
    b.wait();
  }
  stop = true;
  other.join();
}

// Both end at about the same time.
TEST(RuntimeLifetimes, ARuntimeEndsAfterThoseThatWaitForItsTasks) {
  Options options = with_workers(1);
  options.explain = Explain::off;
  for (int i = 0; i < 200; ++i) {
    std::atomic<bool> named{false}, may_end{false};
    int x[8] = {};
    auto watched = std::make_optional<Watched<int>>(x, 8, 4);
    std::thread other([&] {
      Runtime runtime(options);
      runtime.spawn(inout(watched->block(0)), [&] { x[0] = 1; });
      named = true;
      spin_until(may_end);
    });
    spin_until(named);
    may_end = true;
    watched.reset();
    EXPECT_EQ(x[0], 1);
    other.join();
  }
}

TEST(RuntimeLifetimes, StaticOnesEndWithTheProgram) {
  EXPECT_EXIT(
      {
        static Runtime runtime(with_workers(2));
        static Block<double> block(runtime, 1000, "static");
        for (int i = 0; i < 100; ++i) runtime.spawn(inout(block), fill);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^$");
}

// ---- Whose tasks a wait is for ----

class WaitAll : public test::ForWorkers {};
WEIR_FOR_WORKERS(WaitAll);

TEST_P(WaitAll, WaitsForTasksOfAllThreads) {
  Runtime runtime(options());
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> runs{0}, mine{0};
    std::vector<std::thread> threads;
    std::atomic<int> spawned{0};
    std::atomic<bool> done{false};
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        long sum = 0;
        int x = 0;
        for (int i = 0; i < 50; ++i) {
          runtime.spawn(inout(x), [&] {
            ++x;
            spawn([&] { ++runs; });
          });
        }
        runtime.spawn(reduce(sum, std::plus<>{}, 0L), [](long& part) { ++part; });  // combined when this thread waits
        ++spawned;
        spin_until(done);
        runtime.wait();
        EXPECT_EQ(sum, 1);
      });
    }
    for (int i = 0; i < 50; ++i) runtime.spawn([&] { ++mine; });
    spin_until([&] { return spawned == 3; });
    runtime.wait_all();
    EXPECT_EQ(runs, 150);
    EXPECT_EQ(mine, 50);
    done = true;
    for (std::thread& thread : threads) thread.join();
  }
}

TEST_P(WaitAll, ThrowsWhatItsOwnThreadsTasksThrewAndIsRefusedInATask) {
  Runtime runtime(options());
  runtime.spawn([] { throw std::runtime_error("mine"); });
  EXPECT_THROW(runtime.wait_all(), std::runtime_error);
  runtime.spawn([&] { EXPECT_THAT(error_of([&] { runtime.wait_all(); }), HasSubstr("inside a task")); });
  wait_all();
}

}  // namespace
}  // namespace weir
