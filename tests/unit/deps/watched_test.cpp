// SPDX-License-Identifier: Apache-2.0

// Watched arrays: tracking by block, and every way in which other memory can overlap one.
#include "scenario.hpp"

namespace weir::deps::test {
namespace {

class WatchedArray : public Scenario {
 protected:
  double memory_[20 * 30];
};

TEST_F(WatchedArray, OrdersAccessesThatShareABlock) {
  Watched<double> w(memory_, 20, 30, 30, 10, 10);
  const NodeRef a = spawn(out(w.tile(0, 0, 1, 1))), b = spawn(out(w.tile(9, 9, 1, 1))),
                c = spawn(out(w.tile(0, 10, 10, 10)));
  EXPECT_EQ(before(b), nodes({a}));
  EXPECT_EQ(before(c), nobody());
  EXPECT_EQ(before(spawn(in(w.tile(5, 5, 1, 10)))), nodes({b, c}));
}

TEST_F(WatchedArray, HasShortBlocksAtItsEdges) {
  Watched<double> w(memory_, 23, 10);
  const NodeRef last = spawn(out(w.block(2)));
  EXPECT_EQ(before(spawn(in(w.range(19, 1)))), nobody());
  EXPECT_EQ(before(spawn(in(w.range(20, 1)))), nodes({last}));
}

TEST_F(WatchedArray, IsFoundByPlainRangesOverItsMemory) {
  Watched<double> w(memory_, 20, 30, 30, 10, 10);
  const NodeRef tile = spawn(out(w.tile(0, 0, 10, 10)));
  const NodeRef row = spawn(out(&memory_[30], 30));
  EXPECT_EQ(before(row), nodes({tile}));
  EXPECT_EQ(before(spawn(in(w.tile(0, 20, 10, 10)))), nodes({row}));
  EXPECT_EQ(before(spawn(in(w.tile(10, 0, 10, 30)))), nobody());
}

TEST_F(WatchedArray, InheritsTheUnfinishedHistoryOfItsMemory) {
  const NodeRef early = spawn(out(memory_, 100)), reader = spawn(in(memory_ + 50, 10));
  Watched<double> w(memory_, 600, 10);
  const NodeRef a = spawn(inout(w.block(0)));
  EXPECT_EQ(before(a), nodes({early}));
  const NodeRef b = spawn(in(w.block(5)));
  EXPECT_EQ(before(b), nodes({early}));
  EXPECT_EQ(before(spawn(inout(w.block(5)))), nodes({reader, b}));
  graph_.finish(early);
  graph_.finish(reader);
  graph_.finish(a);
  EXPECT_EQ(before(spawn(inout(w.block(0)))), nobody());
}

TEST_F(WatchedArray, LeavesThePaddingBetweenItsRowsToOthers) {
  Watched<double> w(memory_, 20, 25, 30, 10, 25);
  const NodeRef array = spawn(out(w.rows(0, 20)));
  const NodeRef padding = spawn(out(&memory_[25], 5));
  EXPECT_EQ(before(padding), nobody());
  EXPECT_EQ(before(spawn(in(&memory_[29], 2))), nodes({padding, array}));
}

TEST_F(WatchedArray, SharesABufferWithAnotherOneOfTheSameStride) {
  Watched<double> left(memory_, 20, 15, 30, 10, 15), right(memory_ + 15, 20, 15, 30, 10, 15);
  const NodeRef a = spawn(out(left.rows(0, 20)));
  const NodeRef b = spawn(out(right.rows(0, 20)));
  EXPECT_EQ(before(b), nobody());
  EXPECT_EQ(before(spawn(in(memory_ + 60, 30))), nodes({a, b}));
}

TEST_F(WatchedArray, SeesASecondOneOverTheSameMemoryInOtherBlocks) {
  Watched<double> rows(memory_, 20, 30, 30, 1, 30), columns(memory_, 20, 30, 30, 20, 1);
  const NodeRef row = spawn(out(rows.rows(3, 1))), column = spawn(out(columns.tile(0, 7, 20, 1)));
  EXPECT_EQ(before(column), nodes({row}));
  EXPECT_EQ(before(spawn(in(rows.rows(4, 1)))), nodes({column}));
  EXPECT_EQ(before(spawn(in(columns.tile(0, 8, 20, 1)))), nodes({column}));  // by way of which it is after `row`
}

TEST_F(WatchedArray, TakesThePlaceOfADeadOneAtItsAddress) {
  NodeRef a, b;
  {
    Watched<double> old(memory_, 600, 10);
    a = spawn(out(old.block(0)));
    b = spawn(out(old.block(1)));
    graph_.finish(a);
    graph_.finish(b);
  }
  for (int i = 0; i < 1000; ++i) {
    Watched<double> fresh(memory_, 600, 7);
    const NodeRef c = spawn(inout(fresh.block(1)));
    EXPECT_EQ(before(c), nobody());
    graph_.finish(c);
  }
}

TEST_F(WatchedArray, OfAMillionBlocksIsCheapToTouchOnce) {
  Watched<double> w(reinterpret_cast<double*>(std::uintptr_t{1} << 40), std::size_t{1} << 26, 64);
  const NodeRef a = spawn(out(w.block(999'999)));
  EXPECT_EQ(before(spawn(in(w.block(999'999)))), nodes({a}));
  EXPECT_LE(map_.memory_bytes(), std::size_t{64} << 10);
}

TEST_F(WatchedArray, EndsTheProcessOnASectionOutsideOfIt) {
  Watched<double> w(memory_, 20, 25, 30, 10, 25);
  EXPECT_DEATH(spawn(in(w.tile(0, 24, 1, 2))), "not within its watched array");
  EXPECT_DEATH(spawn(in(w.rows(19, 2))), "not within its watched array");
  spawn(in(w.rows(0, 20)));
  EXPECT_DEATH(spawn(in(w.tile(0, 24, 1, 2))), "not within its watched array");
}

TEST_F(WatchedArray, WithoutBytesHasNoHistory) {
  Watched<double> w(memory_, 0, 10);
  EXPECT_EQ(before(spawn(in(w.range(0, 0)))), nobody());
  Watched<double> v(memory_, 10, 10);
  spawn(out(v.block(0)));
  EXPECT_EQ(before(spawn(inout(v.range(5, 0)))), nobody());
}

}  // namespace
}  // namespace weir::deps::test
