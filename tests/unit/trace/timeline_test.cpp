// SPDX-License-Identifier: Apache-2.0

#include "timeline.hpp"

#include <gtest/gtest.h>

#include <array>

#include "made_up.hpp"
#include "time_parts.hpp"

namespace weir::tool::report {
namespace {

// Two workers: tasks, one with another on top of it, spawns, searches, sleep.
MadeUp a_run() {
  MadeUp m(2, 1000);
  const auto a = m.spawn(0, 100), b = m.spawn(0, 200, {a});
  m.span(0, Doing::wait, 300, 900);
  m.span(0, Doing::stage, 302, 308, a);
  m.run(0, a, 310, 500);
  m.span(0, Doing::search, 500, 880);
  m.span(1, Doing::wait, 0, 1000);
  m.span(1, Doing::search, 10, 520);
  m.span(1, Doing::park, 20, 250);
  m.run(1, b, 520, 800);
  m.span(1, Doing::search, 800, 990);
  return m;
}

TEST(Timeline, CoversTheLifeOfTheRuntimeWithoutGaps) {
  for (const TimelineRow& row : timeline(a_run().trace)) {
    Ns sum = 0;
    for (const Piece& piece : row.pieces) {
      EXPECT_GT(piece.ns, 0);
      sum += piece.ns;
    }
    EXPECT_EQ(sum, 1000);
  }
}

TEST(Timeline, AddsUpToTheParts) {
  const MadeUp m = a_run();
  const auto rows = timeline(m.trace);
  const auto parts = time_parts(m.trace);
  ASSERT_EQ(rows.size(), parts.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::array<double, kParts> sums{};
    for (const Piece& piece : rows[i].pieces)
      sums[static_cast<std::size_t>(piece.part)] += static_cast<double>(piece.ns);
    const TimeParts& p = parts[i];
    EXPECT_DOUBLE_EQ(sums[0], p.running);
    EXPECT_DOUBLE_EQ(sums[1], p.program);
    EXPECT_DOUBLE_EQ(sums[2], p.analysing);
    EXPECT_DOUBLE_EQ(sums[3], p.scheduling);
    EXPECT_DOUBLE_EQ(sums[4], p.moving);
    EXPECT_DOUBLE_EQ(sums[5] + sums[6] + sums[7] + sums[8] + sums[9],
                     p.waiting_for_data + p.waiting_for_others + p.waiting_for_ranks + p.waiting_for_work + p.idle);
  }
}

TEST(Timeline, SaysOfATimeWithoutWorkWhatMostOfItWas) {
  MadeUp m(2, 1000);
  const auto a = m.spawn(0, 0);
  m.span(1, Doing::search, 0, 700);    // 700 ns, of which a waits for its blocks in 600
  m.span(1, Doing::park, 100, 200);    // the same, asleep
  m.span(1, Doing::search, 700, 900);  // a runs on the other worker
  m.span(1, Doing::search, 900, 1000);
  m.trace.data_waits.push_back({50, 650, a, For::blocks});
  m.run(0, a, 700, 900);
  const auto pieces = timeline(m.trace)[1].pieces;
  ASSERT_EQ(pieces.size(), 5u);
  EXPECT_EQ(pieces[0].part, Part::data);
  EXPECT_EQ(pieces[1].part, Part::data);
  EXPECT_TRUE(pieces[1].asleep);
  EXPECT_EQ(pieces[2].part, Part::data);
  EXPECT_EQ(pieces[3].part, Part::work);
  EXPECT_EQ(pieces[4].part, Part::idle);
}

TEST(Timeline, LeavesOutGuestsThatDidNothing) {
  MadeUp m(1, 100);
  m.trace.tracks.push_back({"guest 1", 1, -1});
  m.trace.tracks.push_back({"guest 2", 2, -1});
  m.span(2, Doing::search, 10, 20);
  const auto rows = timeline(m.trace);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].track, 2u);
}

}  // namespace
}  // namespace weir::tool::report
