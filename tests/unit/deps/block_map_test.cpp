// SPDX-License-Identifier: Apache-2.0

#include "deps/block_map.hpp"

#include <functional>
#include <new>
#include <set>

#include "scenario.hpp"

namespace weir::deps::test {
namespace {

using BlockMap = Scenario;

TEST_F(BlockMap, OrdersWritersOfOneObject) {
  int x = 0;
  const NodeRef a = spawn(out(x)), b = spawn(inout(x)), c = spawn(out(x));
  EXPECT_EQ(before(a), nobody());
  EXPECT_EQ(before(b), nodes({a}));
  EXPECT_EQ(before(c), nodes({b}));
}

TEST_F(BlockMap, LetsReadersRunTogetherBetweenWriters) {
  int x = 0;
  const NodeRef w = spawn(out(x)), r1 = spawn(in(x)), r2 = spawn(in(x)), v = spawn(inout(x));
  EXPECT_EQ(before(r1), nodes({w}));
  EXPECT_EQ(before(r2), nodes({w}));
  EXPECT_EQ(before(v), nodes({r1, r2}));
}

TEST_F(BlockMap, LetsConcurrentTasksRunTogetherButNotWithReaders) {
  int x = 0;
  const NodeRef r = spawn(in(x)), c1 = spawn(concurrent(x)), c2 = spawn(concurrent(x)), s = spawn(in(x));
  EXPECT_EQ(before(c1), nodes({r}));
  EXPECT_EQ(before(c2), nodes({r}));
  EXPECT_EQ(before(s), nodes({c1, c2}));
}

TEST_F(BlockMap, GivesCommutativeTasksOneLockAndNoOrder) {
  int x = 0, y = 0;
  const NodeRef w = spawn(out(x)), c1 = spawn(commutative(x)), c2 = spawn(commutative(x), commutative(y));
  EXPECT_EQ(before(c1), nodes({w}));
  EXPECT_EQ(before(c2), nodes({w}));
  EXPECT_EQ(graph_.locks_made, 2);
  EXPECT_EQ(graph_.node(c1).locks.size(), 1u);
  EXPECT_EQ(graph_.node(c2).locks.size(), 2u);
  EXPECT_TRUE(graph_.node(c2).locks.contains(*graph_.node(c1).locks.begin()));
  EXPECT_EQ(before(spawn(in(x))), nodes({c1, c2}));
}

TEST_F(BlockMap, KeepsTheLockOfAnObjectForItsNextCommutativeTasks) {
  int x = 0;
  const NodeRef c1 = spawn(commutative(x));
  spawn(inout(x));
  const NodeRef c2 = spawn(commutative(x));
  EXPECT_EQ(graph_.node(c1).locks, graph_.node(c2).locks);
}

TEST_F(BlockMap, SharesTheLockBetweenThePartsOfWhatWasOneRange) {
  int x[8];
  const NodeRef whole = spawn(commutative(x, 8));
  const NodeRef low = spawn(commutative(x, 4)), high = spawn(commutative(x + 4, 4));
  EXPECT_EQ(before(low), nobody());
  EXPECT_EQ(graph_.node(low).locks, graph_.node(whole).locks);
  EXPECT_EQ(graph_.node(high).locks, graph_.node(whole).locks);
}

TEST_F(BlockMap, NeverMakesATaskWaitForItself) {
  int x = 0;
  const NodeRef w = spawn(out(x));
  const NodeRef a = spawn(in(x), out(x), concurrent(x), commutative(x), in(x), inout(x));
  EXPECT_EQ(before(a), nodes({w}));
  EXPECT_EQ(before(spawn(in(x))), nodes({a}));
}

TEST_F(BlockMap, TakesTheUnionOfTheItemsOfOneFootprint) {
  int x = 0;
  const NodeRef r = spawn(in(x)), both = spawn(inout(x), in(x)), s = spawn(in(x));
  EXPECT_EQ(before(both), nodes({r}));
  EXPECT_EQ(before(s), nodes({both}));
}

TEST_F(BlockMap, FindsPartialOverlapsOfRanges) {
  int x[10];
  const NodeRef low = spawn(out(x, 6)), high = spawn(out(x + 4, 6));
  EXPECT_EQ(before(high), nodes({low}));
  EXPECT_EQ(before(spawn(in(x, 4))), nodes({low}));
  EXPECT_EQ(before(spawn(in(x + 4, 2))), nodes({high}));
  EXPECT_EQ(before(spawn(in(x + 3, 2))), nodes({low, high}));
}

TEST_F(BlockMap, FindsAnObjectWithinARangeAndARangeAroundObjects) {
  struct Pair {
    int first, second;
  } p;
  const NodeRef whole = spawn(out(p)), first = spawn(inout(p.first)), second = spawn(inout(p.second));
  EXPECT_EQ(before(first), nodes({whole}));
  EXPECT_EQ(before(second), nodes({whole}));
  EXPECT_EQ(before(spawn(in(p))), nodes({first, second}));
}

TEST_F(BlockMap, KeepsRowsOfATileApartFromWhatLiesBetween) {
  int x[4 * 10];
  const NodeRef left = spawn(tile_of(x, 4, 5, 10)), right = spawn(tile_of(x + 5, 4, 5, 10));
  EXPECT_EQ(before(right), nobody());
  EXPECT_EQ(before(spawn(in(x + 10, 10))), nodes({left, right}));
  EXPECT_EQ(before(spawn(in(x + 24, 1))), nodes({left}));
}

TEST_F(BlockMap, TreatsRowsWithoutGapsAsOneRange) {
  int x[40];
  const NodeRef tile = spawn(tile_of(x, 4, 10, 10));
  const NodeRef range = spawn(inout(x, 40));
  EXPECT_EQ(before(range), nodes({tile}));
  EXPECT_EQ(graph_.edges, 1u);
}

TEST_F(BlockMap, FindsNothingInCommonWithNoBytes) {
  int x[4];
  spawn(out(x, 4));
  EXPECT_EQ(before(spawn(inout(x, 0))), nobody());
  EXPECT_EQ(before(spawn(inout(x + 2, 0))), nobody());
  EXPECT_EQ(before(spawn_footprint({})), nobody());
}

TEST_F(BlockMap, ForgetsFinishedTasksAndThoseWhoseMemoryIsUsedAgain) {
  int x = 0;
  const NodeRef a = spawn(out(x));
  graph_.finish(a);
  const NodeRef b = spawn(inout(x));
  EXPECT_EQ(before(b), nobody());
  graph_.reuse(b);
  EXPECT_EQ(before(spawn(in(x))), nobody());
}

TEST_F(BlockMap, FoldsManyReadersBeforeManyOthersIntoAJoin) {
  int x = 0;
  std::set<int> readers;
  for (int i = 0; i < 100; ++i) readers.insert(graph_.node(spawn(in(x))).index);
  const NodeRef first = spawn(concurrent(x));
  EXPECT_EQ(before(first), readers);
  const NodeRef second = spawn(concurrent(x)), third = spawn(concurrent(x));
  ASSERT_EQ(before(second).size(), 1u);
  EXPECT_EQ(before(third), before(second));
  const auto& join = graph_.node(*before(second).begin());
  EXPECT_EQ(std::set<int>(join.before.begin(), join.before.end()), readers);
  EXPECT_TRUE(join.sealed);
}

// The second task is not in the map, and the third comes after the first by itself.
TEST_F(BlockMap, KeepsTheOrderWhereThereIsNoMemoryForAnEdge) {
  for (const Mode mode : {Mode::in, Mode::inout, Mode::concurrent, Mode::commutative, Mode::reduce}) {
    for (const Mode last : {Mode::in, Mode::inout, Mode::commutative}) {
      double x = 0;
      const NodeRef first = spawn(out(x));
      Access second = mode == Mode::reduce ? reduce(x, std::plus<>{}, 0.0).access : inout(x).access;
      second.mode = mode;
      graph_.edges_before_failure = 0;
      EXPECT_THROW(spawn_footprint({&second, 1}), std::bad_alloc);
      graph_.edges_before_failure = -1;
      Access third = inout(x).access;
      third.mode = last;
      EXPECT_EQ(before(spawn_footprint({&third, 1})), nodes({first})) << static_cast<int>(mode);
      spawn(out(x));
    }
  }
}

TEST_F(BlockMap, LeavesNoJoinOpenWhereThereIsNoMemoryForItsEdges) {
  int x = 0;
  std::set<int> readers;
  for (int i = 0; i < 6; ++i) readers.insert(graph_.node(spawn(in(x))).index);
  spawn(concurrent(x));
  graph_.edges_before_failure = 3;
  EXPECT_THROW(spawn(concurrent(x)), std::bad_alloc);
  graph_.edges_before_failure = -1;
  for (int i = 0; i < graph_.size(); ++i) EXPECT_TRUE(graph_.node(i).sealed) << i;
}

TEST_F(BlockMap, MakesNoJoinForFewReadersOrASingleWriter) {
  int x = 0;
  for (int i = 0; i < 4; ++i) spawn(in(x));
  for (int i = 0; i < 4; ++i) spawn(concurrent(x));
  spawn(inout(x));
  EXPECT_EQ(graph_.size(), 9);
}

TEST_F(BlockMap, StaysSmallOverAMillionReadersThatFinish) {
  int x = 0;
  NodeRef last = spawn(in(x));
  const std::size_t bytes = map_.memory_bytes();
  for (int i = 0; i < 1'000'000; ++i) {
    const Access footprint[] = {in(x).access};
    if (i % 16 == 0) graph_.reuse(last);
    ++last.generation;
    graph_.node(last).generation = last.generation;
    map_.analyse(graph_, last, footprint);
  }
  EXPECT_LE(map_.memory_bytes(), bytes + 4096);
}

TEST_F(BlockMap, StaysSmallOverManyObjectsThatAreNamedOnce) {
  NodeRef last = graph_.task();
  std::byte* next = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);
  for (int i = 0; i < 300'000; ++i) {
    graph_.node(last).generation = ++last.generation;  // the one before has finished
    const Access footprint[] = {inout(next += 24, 24).access};
    map_.analyse(graph_, last, footprint);
  }
  EXPECT_LE(map_.memory_bytes(), std::size_t{512} << 10);
}

// Tasks that write a new piece of memory and read older ones, of which the last 256 are unfinished.
class LongRun : public Scenario {
 protected:
  static constexpr std::size_t kWindow = 256;
  // What a map may keep: twice the pieces that unfinished tasks name, or 768, and some of the footprint under way.
  static constexpr std::size_t kMostPieces = 2 * 2 * kWindow + 768;

  LongRun() {
    for (NodeRef& ref : nodes_) ref = graph_.task();
  }
  void analyse(std::span<const Access> footprint) {
    NodeRef& self = nodes_[++made_ % kWindow];
    FakeGraph::Node& node = graph_.node(self);
    self.generation = ++node.generation;  // the task that it was has finished
    node.before.clear();
    map_.analyse(graph_, self, footprint);
    most_pieces_ = std::max(most_pieces_, map_.segment_count());
    most_bytes_ = std::max(most_bytes_, map_.memory_bytes());
  }
  template <class Place>
  void write_and_read(int tasks, Place place) {
    for (int i = 4; i < tasks; ++i) {
      const Access footprint[] = {out(place(i), 24).access, in(place(i - 1), 24).access, in(place(i - 3), 24).access};
      analyse(footprint);
    }
    EXPECT_LE(most_pieces_, kMostPieces);
    EXPECT_LE(most_bytes_, std::size_t{512} << 10);
  }
  static std::byte* at(std::uint64_t offset) {
    return reinterpret_cast<std::byte*>((std::uintptr_t{1} << 50) + static_cast<std::uintptr_t>(offset));
  }

  std::size_t most_pieces_ = 0, most_bytes_ = 0;

 private:
  NodeRef nodes_[kWindow];
  std::size_t made_ = 0;
};

TEST_F(LongRun, OverNewMemoryInGrowingOrderKeepsLittle) {
  write_and_read(200'000, [](int i) { return at(24 * static_cast<std::uint64_t>(i)); });
}

TEST_F(LongRun, OverNewMemoryInFallingOrderKeepsLittle) {
  write_and_read(200'000, [](int i) { return at(24 * static_cast<std::uint64_t>(1'000'000 - i)); });
}

TEST_F(LongRun, OverSixteenStreamsOfNewMemoryKeepsLittle) {
  write_and_read(200'000, [](int i) {
    const auto n = static_cast<std::uint64_t>(i);
    return at((n % 16 << 30) + n / 16 * 24);
  });
}

TEST_F(LongRun, OverScatteredNewMemoryKeepsLittle) {
  write_and_read(200'000, [](int i) { return at((static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u >> 24) * 32); });
}

// As a program that frees its buffers and gets their memory back in other pieces.
TEST_F(LongRun, OverMemoryThatIsUsedAgainInOtherPiecesKeepsLittle) {
  std::uint64_t place = 0;
  for (int i = 0; i < 200'000; ++i) {
    const std::size_t bytes = 1 + static_cast<std::size_t>(i) * 7 % 61;
    if (place + 200 > 100'000) place = static_cast<std::uint64_t>(i % 13);
    const Access footprint[] = {out(at(place), bytes).access, in(at(place + bytes / 2), bytes).access};
    analyse(footprint);
    place += bytes;
  }
  EXPECT_LE(most_pieces_, 2 * kMostPieces);  // an overlap is a piece of its own
  EXPECT_LE(most_bytes_, std::size_t{768} << 10);
}

// There are readers in flight at any time, and all pieces that were written are theirs.
TEST_F(LongRun, OverARangeThatIsReadBetweenWritesOfItsPiecesKeepsLittle) {
  constexpr std::uint64_t kPieces = 5'000;
  for (std::uint64_t i = 0; i < kPieces; ++i) {
    const Access whole[] = {in(at(0), 24 * kPieces).access}, piece[] = {inout(at(24 * i), 24).access};
    analyse(whole);
    analyse(piece);
  }
  EXPECT_LE(most_pieces_, 2 * kWindow);
}

TEST_F(BlockMap, JoinsPiecesThatNoTaskTellsApartAndKeepsTheirOrder) {
  deps::BlockMap map(4);
  const auto analyse = [&](const auto& item) {
    const NodeRef self = graph_.task();
    const Access footprint[] = {item.access};
    map.analyse(graph_, self, footprint);
    return self;
  };
  int x[64] = {};
  std::vector<NodeRef> writers;
  for (int i = 0; i < 16; ++i) writers.push_back(analyse(inout(x[i])));
  const NodeRef first = analyse(in(x));
  EXPECT_EQ(before(first).size(), 16u);
  EXPECT_EQ(map.segment_count(), 17u);
  for (const NodeRef writer : writers) graph_.finish(writer);
  std::set<int> unfinished;
  for (int i = 16; i < 36; ++i) unfinished.merge(nodes({analyse(inout(x[i]))}));
  EXPECT_EQ(map.segment_count(), 37u);
  const NodeRef second = analyse(in(x));
  EXPECT_EQ(map.segment_count(), 1u + 20u + 1u);
  const NodeRef writer = analyse(inout(x[3])), last = analyse(out(x));
  EXPECT_EQ(before(second), unfinished);
  EXPECT_EQ(before(writer), nodes({first, second}));
  EXPECT_EQ(before(last), nodes({first, second, writer}));
  map.reset(graph_);
}

TEST_F(LongRun, AfterATimeOfManyUnfinishedTasksGetsSmallAgain) {
  std::vector<NodeRef> many;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const Access footprint[] = {out(at(64 * i), 64).access};
    many.push_back(graph_.task());
    map_.analyse(graph_, many.back(), footprint);
  }
  EXPECT_EQ(map_.segment_count(), 20'000u);
  for (const NodeRef ref : many) graph_.finish(ref);
  const std::size_t bytes = map_.memory_bytes();
  for (std::uint64_t i = 0; i < 40'000; ++i) {
    const Access footprint[] = {out(at((std::uint64_t{1} << 40) + 64 * i), 64).access};
    analyse(footprint);
  }
  EXPECT_LE(map_.segment_count(), kMostPieces);
  EXPECT_LE(map_.memory_bytes(), 2 * bytes);
}

TEST_F(BlockMap, KeepsASmallMapOverAWaitAndDropsALargeOne) {
  int x = 0;
  graph_.finish(spawn(out(x)));
  map_.clear(graph_);
  EXPECT_EQ(before(spawn(in(x))), nobody());
  std::vector<int> many(20'000);
  for (int& one : many) spawn(out(one));
  for (int i = 0; i < graph_.size(); ++i) graph_.finish(i);
  EXPECT_GT(map_.memory_bytes(), std::size_t{1} << 20);
  map_.clear(graph_);
  EXPECT_LE(map_.memory_bytes(), std::size_t{16} << 10);
}

}  // namespace
}  // namespace weir::deps::test
