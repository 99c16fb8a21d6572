// SPDX-License-Identifier: Apache-2.0

// fork_join(), parallel_for(), parallel_reduce().
#include <pthread.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support.hpp"

namespace weir {
namespace {

using test::spin_until;

class ForkJoin : public test::ForWorkers {};
WEIR_FOR_WORKERS(ForkJoin);

int fib(int n) {
  if (n < 2) return n;
  int a = 0, b = 0;
  fork_join([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

TEST_P(ForkJoin, Recursion) {
  Runtime runtime(options());
  EXPECT_EQ(fib(20), 6765);
  EXPECT_EQ(runtime.spawn([] { return fib(18); }).get(), 2584);
  runtime.wait();
}

TEST_P(ForkJoin, BothHalvesMayRunTogether) {
  if (workers() < 2) GTEST_SKIP() << "one worker runs one half at a time";
  Runtime runtime(options());
  std::atomic<int> there{0};
  auto half = [&] {
    ++there;
    spin_until([&] { return there == 2; });
  };
  fork_join(half, half);
}

TEST_P(ForkJoin, TheFirstHalfRunsOnTheCallingThread) {
  Runtime runtime(options());
  const auto self = std::this_thread::get_id();
  for (int i = 0; i < 100; ++i) fork_join([&] { EXPECT_EQ(std::this_thread::get_id(), self); }, [] {});
}

TEST_P(ForkJoin, AnExceptionOfEitherHalfIsThrownAfterBothHaveEnded) {
  Runtime runtime(options());
  for (int i = 0; i < 200; ++i) {
    std::atomic<bool> other{false};
    EXPECT_THROW(fork_join([&] { other = true; }, [] { throw std::runtime_error("second"); }), std::runtime_error);
    EXPECT_TRUE(other);
    EXPECT_THROW(fork_join([] { throw 1; }, [] {}), int);
    EXPECT_THROW(fork_join([] { throw 1; }, [] { throw std::runtime_error("second"); }), int);
  }
}

TEST_P(ForkJoin, ASecondHalfThatNobodyBeganIsDroppedWhenTheFirstThrows) {
  if (workers() != 1) GTEST_SKIP() << "a thief may have begun it";
  Runtime runtime(options());
  bool ran = false;
  EXPECT_THROW(fork_join([] { throw 1; }, [&] { ran = true; }), int);
  EXPECT_FALSE(ran);
}

// The wait takes the newest item of its own deque: the half itself.
TEST_P(ForkJoin, AWaitInTheFirstHalfMayRunTheSecond) {
  Runtime runtime(options());
  for (int i = 0; i < 100; ++i) {
    std::atomic<int> runs{0};
    fork_join(
        [&] {
          auto handle = runtime.spawn([&] { ++runs; });
          runtime.wait(handle);
        },
        [&] { ++runs; });
    EXPECT_EQ(runs, 2);
    runtime.wait();
  }
}

TEST_P(ForkJoin, AJoinDoesNotRunWhatWasSpawnedBeforeWhenAWaitHasRunTheSecondHalf) {
  if (workers() != 1) GTEST_SKIP() << "others run the tasks meanwhile";
  Runtime runtime(options());
  int runs = 0;
  Handle<void> last;
  for (int i = 0; i < 20; ++i) last = runtime.spawn([&] { ++runs; });
  bool second = false;
  fork_join([&] { runtime.wait(last); }, [&] { second = true; });
  EXPECT_TRUE(second);
  EXPECT_EQ(runs, 1);
  runtime.wait();
  EXPECT_EQ(runs, 20);
}

TEST_P(ForkJoin, TasksSpawnedInAHalfAreWaitedFor) {
  Runtime runtime(options());
  std::atomic<int> runs{0};
  auto parent = runtime.spawn([&] {
    for (int i = 0; i < 50; ++i) {
      fork_join([&] { spawn([&] { ++runs; }); }, [&] { spawn([&] { ++runs; }); });
    }
  });
  runtime.wait(parent);
  EXPECT_EQ(runs, 100);
  runtime.wait();
}

TEST_P(ForkJoin, AnExceptionOfATaskSpawnedInAHalfIsNotLost) {
  Runtime runtime(options());
  for (int i = 0; i < 50; ++i) {
    runtime.spawn([] { fork_join([] {}, [] { spawn([] { throw std::runtime_error("spawned"); }); }); });
    EXPECT_THROW(runtime.wait(), std::runtime_error);
  }
}

int deep(int depth) {
  if (depth == 0) return 0;
  int below = 0, one = 0;
  fork_join([&] { below = deep(depth - 1); }, [&] { one = 1; });
  return below + one;
}

TEST_P(ForkJoin, MoreHalvesThanADequeHolds) {
  Runtime runtime(options());
  EXPECT_EQ(deep(6000), 6000);
}

// Deeper than any stack. ThreadSanitizer keeps a stack of its own for each, of 64 Ki calls.
constexpr int kDepth = base::kUnderSanitizer ? 20'000 : 300'000;
// Of tasks that wait for one another. ThreadSanitizer takes milliseconds and megabytes for each level: with it they
// leave a small stack, and not the largest.
constexpr int kDepthOfWaits = base::kUnderSanitizer ? 1'000 : 75'000;

int deep_in_second(int depth) {
  if (depth == 0) return 0;
  int below = 0, one = 0;
  fork_join([&] { one = 1; }, [&] { below = deep_in_second(depth - 1); });
  return below + one;
}

TEST_P(ForkJoin, MayBeNestedDeeperThanAnyStack) {
  Runtime runtime(options());
  EXPECT_EQ(deep(kDepth), kDepth);
  EXPECT_EQ(deep_in_second(kDepth), kDepth);
  EXPECT_EQ(runtime.spawn([] { return deep(kDepth); }).get(), kDepth);
  int sum = 0;
  for (int i = 0; i < 5; ++i)
    runtime.spawn(inout(sum), [](int& s) { s += deep(kDepth / 10) + deep_in_second(kDepth / 10); });
  runtime.wait();
  EXPECT_EQ(sum, kDepth);
}

void throw_deep_down(int depth) {
  if (depth == 0) throw std::runtime_error("from the bottom");
  fork_join([&] { throw_deep_down(depth - 1); }, [] {});
}

TEST_P(ForkJoin, AnExceptionComesUpFromDeepDown) {
  Runtime runtime(options());
  EXPECT_THROW(throw_deep_down(base::kUnderSanitizer ? 2'000 : 60'000), std::runtime_error);
  EXPECT_EQ(fib(10), 55);
}

// Each level waits for the one below it.
int spawn_deep(int depth) {
  if (depth == 0) return 0;
  int below = 0;
  spawn([&below, depth] { below = spawn_deep(depth - 1); });
  wait();
  return below + 1;
}

TEST_P(ForkJoin, TasksThatWaitMayBeNestedDeeperThanAnyStack) {
  Runtime runtime(options());
  EXPECT_EQ(spawn_deep(kDepthOfWaits), kDepthOfWaits);
  EXPECT_EQ(runtime.spawn([] { return spawn_deep(kDepthOfWaits); }).get(), kDepthOfWaits);
}

TEST_P(ForkJoin, OnASmallStackToo) {
  Runtime runtime(options());
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{256} << 10);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* on) -> void* {
                  static_cast<Runtime*>(on)->wait();
                  constexpr int kDeepWaits = std::min(kDepthOfWaits, 5'000);
                  EXPECT_EQ(deep(20'000), 20'000);
                  EXPECT_EQ(spawn_deep(kDeepWaits), kDeepWaits);
                  return nullptr;
                },
                &runtime),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST_P(ForkJoin, AThreadOfTheProgramMayForkOnceItHasUsedTheRuntime) {
  Runtime runtime(options());
  std::thread([&] {
    EXPECT_THROW(fork_join([] {}, [] {}), Error);
    runtime.wait();
    EXPECT_EQ(fib(15), 610);
  }).join();
}

TEST(ForkJoinAlone, ThrowsWithoutARuntime) {
  EXPECT_THROW(fork_join([] {}, [] {}), Error);
  EXPECT_THROW(parallel_for(0, 10, 0, [](int, int) {}), Error);
}

class Loops : public test::ForWorkers {};
WEIR_FOR_WORKERS(Loops);

TEST_P(Loops, CoverTheRangeOnceInPiecesOfAtMostTheGrain) {
  Runtime runtime(options());
  for (const int count : {1, 2, 7, 100, 1001}) {
    for (const int grain : {0, 1, 3, 5000}) {
      std::vector<std::atomic<int>> hits(static_cast<std::size_t>(count));
      std::atomic<int> longest{0};
      parallel_for(-3, count - 3, grain, [&](int begin, int end) {
        int seen = longest;
        while (seen < end - begin && !longest.compare_exchange_weak(seen, end - begin)) {
        }
        for (int i = begin; i < end; ++i) ++hits[static_cast<std::size_t>(i + 3)];
      });
      for (const auto& hit : hits) ASSERT_EQ(hit, 1);
      if (grain > 0) {
        EXPECT_LE(longest, grain);
      }
    }
  }
}

TEST_P(Loops, NothingIsCalledForAnEmptyRange) {
  Runtime runtime(options());
  parallel_for(5, 5, 0, [](int, int) { ADD_FAILURE(); });
  parallel_for(5, 4, 1, [](int, int) { ADD_FAILURE(); });
  EXPECT_EQ(parallel_reduce(
                5, 5, 0, 17, [](int, int, int) { return 0; }, std::plus<>{}),
            17);
}

TEST_P(Loops, CoverARectangleOnceInPiecesOfAtMostTheGrain) {
  Runtime runtime(options());
  using Piece = Range2<int>;
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 100}, {100, 1}, {17, 40}, {64, 64}}) {
    for (const int grain : {0, 1, 3, 5000}) {
      std::vector<std::atomic<int>> hits(static_cast<std::size_t>(rows * columns));
      std::atomic<int> too_large{0};
      parallel_for(Piece{-3, rows - 3, 5, columns + 5}, grain, [&, columns = columns](const Piece& piece) {
        if (grain > 0 && (piece.bottom - piece.top > grain || piece.right - piece.left > grain)) ++too_large;
        for (int r = piece.top; r < piece.bottom; ++r)
          for (int c = piece.left; c < piece.right; ++c) ++hits[static_cast<std::size_t>((r + 3) * columns + c - 5)];
      });
      for (const auto& hit : hits) ASSERT_EQ(hit, 1);
      EXPECT_EQ(too_large, 0);
    }
  }
}

// One worker runs them in order.
TEST(LoopsOverRuns, TheLongerSideOfARectangleIsHalved) {
  Runtime runtime(test::with_workers(1));
  using Piece = Range2<int>;
  std::vector<std::array<int, 4>> pieces;
  parallel_for(Piece{0, 2, 0, 4}, 1, [&](const Piece& p) { pieces.push_back({p.top, p.bottom, p.left, p.right}); });
  const std::vector<std::array<int, 4>> wanted = {{0, 1, 0, 1}, {0, 1, 1, 2}, {1, 2, 0, 1}, {1, 2, 1, 2},
                                                  {0, 1, 2, 3}, {0, 1, 3, 4}, {1, 2, 2, 3}, {1, 2, 3, 4}};
  EXPECT_EQ(pieces, wanted);
}

TEST(LoopsOverRuns, ARectangleWithoutAGrainIsCutIntoFourToEightPiecesAWorkerOrMore) {
  Runtime runtime(test::with_workers(2));
  using Piece = Range2<std::int64_t>;
  for (const Piece& all : {Piece{0, 128, 0, 128}, Piece{0, 1000, 0, 10}, Piece{0, 10, 0, 5000}, Piece{0, 1, 0, 640}}) {
    std::atomic<int> pieces{0};
    parallel_for(all, 0, [&](const Piece&) { ++pieces; });
    EXPECT_GE(pieces, 8);
    EXPECT_LE(pieces, 16);
  }
}

TEST_P(Loops, NothingIsCalledForAnEmptyRectangle) {
  Runtime runtime(options());
  using Piece = Range2<int>;
  for (const Piece& none : {Piece{5, 5, 0, 9}, Piece{0, 9, 5, 5}, Piece{5, 4, 0, 9}, Piece{0, 9, 5, 4}})
    parallel_for(none, 0, [](const Piece&) { ADD_FAILURE(); });
}

template <class I>
void area_all(I rows, I columns) {
  using Piece = Range2<I>;
  std::atomic<std::uint64_t> area{0};
  parallel_for(Piece{0, rows, 0, columns}, 0, [&](const Piece& piece) {
    area += static_cast<std::uint64_t>(piece.bottom - piece.top) * static_cast<std::uint64_t>(piece.right - piece.left);
  });
  EXPECT_EQ(area, static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns));
}

TEST_P(Loops, CountRowsAndColumnsWithAnyIntegerType) {
  Runtime runtime(options());
  area_all<std::int8_t>(127, 127);
  area_all<std::uint8_t>(255, 3);
  area_all<std::int16_t>(1000, 20000);
  area_all<std::uint32_t>(4000000000u, 2);
  area_all<std::int64_t>(std::int64_t{1} << 40, 1000);
}

TEST_P(Loops, AnExceptionOfTheBodyOfARectangleIsThrown) {
  Runtime runtime(options());
  using Piece = Range2<int>;
  EXPECT_THROW(parallel_for(Piece{0, 100, 0, 100}, 10,
                            [](const Piece& piece) {
                              if (piece.left >= 50) throw piece.left;
                            }),
               int);
}

template <class I>
void sum_all(I first, I last) {
  std::atomic<std::uint64_t> count{0};
  parallel_for(first, last, I{0}, [&](I begin, I end) { count += static_cast<std::uint64_t>(end - begin); });
  EXPECT_EQ(count, static_cast<std::uint64_t>(last - first));
}

TEST_P(Loops, CountWithAnyIntegerType) {
  Runtime runtime(options());
  sum_all<std::int8_t>(-50, 50);
  sum_all<std::uint8_t>(0, 255);
  sum_all<std::int16_t>(-1000, 20000);
  sum_all<std::uint32_t>(4000000000u, 4000001000u);
  sum_all<std::int64_t>(std::int64_t{1} << 40, (std::int64_t{1} << 40) + 1000);
}

TEST(LoopsOverRuns, SmallTypesWithManyWorkers) {
  Runtime runtime(test::with_workers(32));
  sum_all<std::int8_t>(-50, 50);
  sum_all<std::uint8_t>(0, 255);
}

TEST_P(Loops, AnExceptionOfTheBodyIsThrown) {
  Runtime runtime(options());
  EXPECT_THROW(parallel_for(0, 1000, 10,
                            [](int begin, int) {
                              if (begin >= 500) throw begin;
                            }),
               int);
}

double reduce_once(int workers) {
  Runtime runtime(test::with_workers(workers));
  return parallel_reduce(
      1, 100000, 0, 0.0,
      [](int begin, int end, double sum) {
        for (int i = begin; i < end; ++i) sum += 1.0 / i;
        return sum;
      },
      std::plus<>{});
}

TEST(LoopsOverRuns, AReductionGivesTheSameBitsForAnyNumberOfWorkers) {
  const double one = reduce_once(1);
  for (const int workers : {2, 3, 8}) EXPECT_EQ(reduce_once(workers), one);
  EXPECT_NEAR(one, 12.09, 0.01);
}

}  // namespace
}  // namespace weir
