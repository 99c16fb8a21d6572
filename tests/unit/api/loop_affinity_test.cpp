// SPDX-License-Identifier: Apache-2.0

// parallel_for() with a LoopAffinity: every index once, in pieces that run where they ran before.
#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "runtime/loop_pieces.hpp"
#include "support.hpp"

namespace weir {
namespace {

using detail::LoopPieces;
using test::spin_until;

class LoopAffinities : public test::ForWorkers {};
WEIR_FOR_WORKERS(LoopAffinities);

TEST_P(LoopAffinities, EveryIndexIsRunOnceInPartsOfTheGrain) {
  Runtime runtime(options());
  LoopAffinity affinity;
  for (const int length : {0, 1, 2, 7, 15, 63, 64, 1000, 12'345}) {
    for (const int grain : {0, 1, 8, 100, 20'000}) {
      std::vector<std::atomic<int>> runs(std::size_t(length) + 1);
      for (int turn = 0; turn < 3; ++turn) {
        parallel_for(-5, length - 5, grain, affinity, [&](int begin, int end) {
          EXPECT_LT(begin, end);
          EXPECT_TRUE(grain == 0 || end - begin <= grain);
          for (int i = begin; i < end; ++i) ++runs[std::size_t(i + 5)];
        });
      }
      for (int i = 0; i < length; ++i) ASSERT_EQ(runs[std::size_t(i)], 3) << i << " of " << length << ", " << grain;
      ASSERT_EQ(runs.back(), 0);
    }
  }
}

template <class I>
void check_all(I first, I last, I grain) {
  LoopAffinity affinity;
  std::atomic<std::uint64_t> indices{0};
  parallel_for(first, last, grain, affinity,
               [&](I begin, I end) { indices += static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin); });
  EXPECT_EQ(indices, static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first));
}

TEST_P(LoopAffinities, CountWithAnyIntegerType) {
  Runtime runtime(options());
  check_all<std::int8_t>(-60, 67, 0);
  check_all<std::int8_t>(0, 127, 127);
  check_all<std::uint8_t>(0, 255, 7);
  check_all<std::int64_t>(std::numeric_limits<std::int64_t>::max() - 1000, std::numeric_limits<std::int64_t>::max(), 9);
  check_all<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max(), 0);
}

TEST_P(LoopAffinities, EveryCellOfARectangleIsRunOnce) {
  Runtime runtime(options());
  LoopAffinity affinity;
  for (const auto& size : std::array<std::pair<int, int>, 5>{{{1, 1}, {1, 100}, {64, 3}, {40, 50}, {0, 9}}}) {
    const int rows = size.first, columns = size.second;
    for (const int grain : {0, 1, 6, 1000}) {
      std::vector<std::atomic<int>> runs(std::size_t(rows * columns));
      for (int turn = 0; turn < 2; ++turn) {
        parallel_for(Range2<int>{2, 2 + rows, -3, columns - 3}, grain, affinity, [&](const Range2<int>& part) {
          EXPECT_TRUE(part.top < part.bottom && part.left < part.right);
          EXPECT_TRUE(grain == 0 || (part.bottom - part.top <= grain && part.right - part.left <= grain));
          for (int r = part.top; r < part.bottom; ++r)
            for (int c = part.left; c < part.right; ++c) ++runs[std::size_t((r - 2) * columns + c + 3)];
        });
      }
      for (const auto& count : runs) ASSERT_EQ(count, 2) << rows << " x " << columns << ", " << grain;
    }
  }
}

TEST_P(LoopAffinities, AnExceptionIsThrownAndTheNextLoopIsWhole) {
  Runtime runtime(options());
  LoopAffinity affinity;
  for (int turn = 0; turn < 50; ++turn) {
    EXPECT_THROW(parallel_for(0, 100, 1, affinity,
                              [&](int begin, int) {
                                if (begin == turn) throw std::runtime_error("piece");
                              }),
                 std::runtime_error);
    std::atomic<int> runs{0};
    parallel_for(0, 100, 1, affinity, [&](int, int) { ++runs; });
    ASSERT_EQ(runs, 100);
  }
}

TEST_P(LoopAffinities, IsUsedByOneLoopAtATime) {
  Runtime runtime(options());
  LoopAffinity affinity, other;
  std::atomic<int> refused{0}, inner{0};
  parallel_for(0, 2, 1, affinity, [&](int, int) {
    try {
      parallel_for(0, 2, 1, affinity, [](int, int) {});
    } catch (const Error&) {
      ++refused;
    }
  });
  EXPECT_EQ(refused, 2);
  parallel_for(0, 3, 3, affinity, [&](int, int) { parallel_for(0, 2, 1, other, [&](int, int) { ++inner; }); });
  EXPECT_EQ(inner, 2);
}

TEST_P(LoopAffinities, MayBeMovedAndUsedInOtherRuntimes) {
  LoopAffinity affinity;
  std::atomic<int> runs{0};
  const auto loop = [&](LoopAffinity& with) { parallel_for(0, 50, 1, with, [&](int, int) { ++runs; }); };
  {
    Runtime runtime(options());
    loop(affinity);
    LoopAffinity moved(std::move(affinity));
    loop(moved);
    loop(affinity);  // NOLINT(bugprone-use-after-move): as new
    affinity = std::move(moved);
    loop(affinity);
  }
  EXPECT_THROW(loop(affinity), Error);  // no runtime
  Runtime runtime(test::with_workers(workers() + 1));
  loop(affinity);
  EXPECT_EQ(runs, 250);
}

// All workers have to be there at the same time, so each begins with a piece of its own, whichever of them began.
class AllTogether : public test::ForWorkers {};
INSTANTIATE_TEST_SUITE_P(, AllTogether, ::testing::Values(2, 3), test::workers_name);

TEST_P(AllTogether, EachWorkerBeginsWithItsOwnPieces) {
  Runtime runtime(options());
  constexpr int kLength = 2400;
  LoopAffinity affinity;
  for (int turn = 0; turn < 20; ++turn) {
    if (turn % 2 == 0) affinity = LoopAffinity();  // after two loops in which others helped, pieces are theirs
    std::atomic<int> there{0};
    std::vector<std::atomic<int>> first(static_cast<std::size_t>(workers()));
    for (auto& each : first) each = -1;
    parallel_for(0, kLength, 0, affinity, [&](int begin, int) {
      std::atomic<int>& mine = first[std::size_t(current_worker())];
      if (mine >= 0) return;
      mine = begin;
      ++there;
      spin_until([&] { return there == workers(); });
    });
    // Nothing of it was done by others, since none had done its first.
    for (int w = 0; w < workers(); ++w) EXPECT_EQ(first[std::size_t(w)] * workers() / kLength, w) << turn;
  }
}

// ---- Whom a piece belongs to ----

TEST(LoopPiecesOf, WorkersAreNeighboursAtFirst) {
  LoopPieces pieces;
  ASSERT_TRUE(pieces.enter());
  EXPECT_FALSE(pieces.enter());
  pieces.begin(7, 3);
  const std::array<std::uint32_t, 7> owners{0, 0, 0, 1, 1, 2, 2};
  for (std::uint32_t i = 0; i < 7; ++i)
    for (std::uint32_t w = 0; w < 3; ++w) EXPECT_EQ(pieces.belongs_to(i, w), owners[i] == w) << i << ", " << w;
  pieces.leave();
  EXPECT_TRUE(pieces.enter());
}

TEST(LoopPiecesOf, AreTakenOnceInALoop) {
  LoopPieces pieces;
  pieces.begin(2, 1);
  EXPECT_FALSE(pieces.take(0, 1, true));
  EXPECT_TRUE(pieces.take(0, 1, false));
  EXPECT_FALSE(pieces.take(0, 0, true));
  EXPECT_FALSE(pieces.take(0, 0, false));
  EXPECT_TRUE(pieces.take(1, 0, true));
  pieces.begin(2, 1);
  EXPECT_TRUE(pieces.take(0, 0, true));
}

TEST(LoopPiecesOf, AnothersGoToWhoeverHelpedLastOfTwoInSuccession) {
  LoopPieces pieces;
  const auto loop = [&](std::uint32_t worker) {
    pieces.begin(1, 1);
    EXPECT_TRUE(pieces.take(0, worker, false));
  };
  loop(3);
  EXPECT_TRUE(pieces.belongs_to(0, 0));
  loop(0);
  loop(4);
  EXPECT_TRUE(pieces.belongs_to(0, 0));
  loop(5);
  EXPECT_TRUE(pieces.belongs_to(0, 5));
  loop(0);
  EXPECT_TRUE(pieces.belongs_to(0, 5));
  loop(5);
  loop(0);
  EXPECT_TRUE(pieces.belongs_to(0, 5));
}

TEST(LoopPiecesOf, AnotherNumberOfPiecesOrWorkersBeginAnew) {
  LoopPieces pieces;
  pieces.begin(4, 2);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_TRUE(pieces.take(i, 1, false));
  pieces.begin(4, 2);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_TRUE(pieces.take(i, 1, false));
  EXPECT_TRUE(pieces.belongs_to(0, 1));
  pieces.begin(4, 4);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_TRUE(pieces.take(i, i, true));
  pieces.begin(2, 4);
  EXPECT_TRUE(pieces.take(1, 2, true));
}

}  // namespace
}  // namespace weir
