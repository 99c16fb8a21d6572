// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "stream/plot.hpp"
#include "stream/saved.hpp"
#include "stream/summary.hpp"
#include "stream/sweep.hpp"

namespace weir::tool {
namespace {

using machine::Machine;
using machine::Placement;
using machine::Stores;
using machine::StreamLoop;

SweepRow row(const std::string& memory, Stores stores, int threads, double gb_per_s) {
  SweepRow made;
  made.point = {Placement::tile, {}, memory, stores, threads};
  made.stream.loop = StreamLoop::triad;
  made.stream.best_gb_per_s = gb_per_s;
  made.stream.median_gb_per_s = gb_per_s - 0.5;
  made.array_bytes = 80'000'000;
  made.instructions = "avx2";
  made.pages = "large";
  made.machine = "Some Processor";
  made.verified = true;
  return made;
}

// Two memories, of which the first is saturated early.
std::vector<SweepRow> two_memories() {
  return {row("ddr0", Stores::temporal, 1, 10),     row("ddr0", Stores::temporal, 4, 58),
          row("ddr0", Stores::temporal, 8, 60),     row("ddr0", Stores::non_temporal, 1, 12),
          row("ddr0", Stores::non_temporal, 4, 89), row("ddr0", Stores::non_temporal, 8, 90),
          row("hbm0", Stores::temporal, 4, 60),     row("hbm0", Stores::temporal, 8, 120)};
}

TEST(StreamSweep, MeasuresEachNumberOfThreadsUpToSixteenAndThenFewer) {
  EXPECT_EQ(thread_counts(1), (std::vector{1}));
  EXPECT_EQ(thread_counts(5), (std::vector{1, 2, 3, 4, 5}));
  const std::vector<int> many = thread_counts(72);
  EXPECT_EQ(std::vector<int>(many.begin(), many.begin() + 19),
            (std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22}));
  EXPECT_EQ(many.back(), 72);
  EXPECT_LT(thread_counts(1024).size(), 80u);
}

TEST(StreamSweep, PairsAreEachDomainWithEachNodeThatMayBeUsed) {
  const Machine m = Machine::from_description("numa:2(memory=4GB) core:2 pu:1").value();
  SweepRequest request;
  request.pairs = true;
  request.stores = {Stores::temporal};
  const std::vector<SweepPoint> points = points_of(m, request);
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(where_text(points[1]), "domain 0, ddr1");
  EXPECT_EQ(where_text(points[2]), "domain 1, ddr0");
  EXPECT_EQ(points[2].threads, 2);
}

TEST(StreamSweep, ThreadsGoFromOneToTheCoresOfTheDomainsForEachPlacementAndKindOfStore) {
  const Machine m = Machine::from_description("numa:2(memory=4GB) l2:2(size=1MB) core:2 pu:1").value();
  SweepRequest request;
  request.threads = true;
  request.domains = {1};
  request.places = {Placement::compact, Placement::tile};
  const std::vector<SweepPoint> points = points_of(m, request);
  ASSERT_EQ(points.size(), 16u);  // 4 cores x 2 placements x 2 kinds of store
  EXPECT_EQ(points.front(), (SweepPoint{Placement::compact, {1}, "", Stores::temporal, 1}));
  EXPECT_EQ(points.back(), (SweepPoint{Placement::tile, {1}, "", Stores::non_temporal, 4}));
}

TEST(StreamSweep, SaysHowManyThreadsSaturateAMemoryAndWhatNonTemporalStoresGain) {
  EXPECT_EQ(summary_of(two_memories()),
            "ddr0, triad: saturated by 4 of 8 threads (tile, non-temporal), best 90.0 GB/s; "
            "non-temporal stores give 1.50 times temporal ones\n"
            "hbm0, triad: not saturated by fewer than all 8 threads, 120.0 GB/s\n");
}

TEST(StreamSweep, WithoutASweepOfThreadsItSaysTheBandwidth) {
  EXPECT_EQ(summary_of(std::vector{row("ddr0", Stores::temporal, 8, 60)}), "ddr0, triad: 60.0 GB/s by 8 threads\n");
}

TEST(StreamSweep, WhatIsSavedIsReadAgain) {
  const std::string path = testing::TempDir() + "stream_saved_" + std::to_string(getpid()) + ".json";
  const std::vector<SweepRow> rows = two_memories();
  ASSERT_TRUE(write_saved(path, rows));
  const auto read = read_saved(path);
  ASSERT_TRUE(read) << read.status().message;
  ASSERT_EQ(read->size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(object_of((*read)[i]), object_of(rows[i]));
  EXPECT_TRUE(differences(*read, rows).empty());
  std::remove(path.c_str());
}

TEST(StreamSweep, AnotherFileIsRefusedByName) {
  const std::string path = testing::TempDir() + "stream_other_" + std::to_string(getpid()) + ".json";
  std::ofstream(path) << R"([{"bench": "chain"}])";
  const auto read = read_saved(path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.status().code, base::Code::bad_input);
  EXPECT_NE(read.status().message.find(path), std::string::npos);
  std::remove(path.c_str());
  EXPECT_EQ(read_saved("/nowhere/at/all.json").status().code, base::Code::not_found);
}

TEST(StreamSweep, ABandwidthThatIsNoneIsRefused) {
  const std::string path = testing::TempDir() + "stream_none_" + std::to_string(getpid()) + ".json";
  for (const double speed : {0.0, -5.0}) {
    std::vector<SweepRow> rows = two_memories();
    rows.back().stream.median_gb_per_s = speed;
    ASSERT_TRUE(write_saved(path, rows));
    EXPECT_EQ(read_saved(path).status().code, base::Code::bad_input) << speed;
  }
  std::remove(path.c_str());
}

TEST(StreamSweep, ARowIsComparedWithTheOneThatMeasuredTheSameAndAnotherMachineIsSaid) {
  const std::vector<SweepRow> earlier = two_memories();
  const SweepRow now = row("hbm0", Stores::temporal, 8, 100);
  ASSERT_NE(same_in(earlier, now), nullptr);
  EXPECT_EQ(same_in(earlier, now)->stream.best_gb_per_s, 120);
  EXPECT_EQ(same_in(earlier, row("hbm0", Stores::temporal, 3, 100)), nullptr);
  std::vector<SweepRow> other = two_memories();
  for (SweepRow& each : other) each.machine = "Another";
  EXPECT_EQ(differences(other, earlier),
            (std::vector<std::string>{"the earlier run was on Another, this one on Some Processor"}));
}

TEST(StreamSweep, OtherPagesAreSaidOfAnyRowOnce) {
  const std::vector<SweepRow> earlier = two_memories();
  std::vector<SweepRow> now = earlier;
  for (std::size_t i = 1; i < now.size(); ++i) now[i].pages = "small";
  EXPECT_EQ(differences(earlier, now), (std::vector<std::string>{"the earlier run had large pages, this one small"}));
}

TEST(StreamSweep, ThePlotHasAPanelForEachMemoryAndALineForEachKindOfStore) {
  const std::string script = stream_plot(two_memories()).script;
  EXPECT_NE(script.find("set multiplot layout 1,2"), std::string::npos);
  EXPECT_NE(script.find("$p0s1 << EOD\n1 12.0000\n4 89.0000\n8 90.0000\nEOD"), std::string::npos);
  EXPECT_NE(script.find("title 'triad, tile, non-temporal'"), std::string::npos);
  const std::vector<SweepRow> one_count = {row("ddr0", Stores::temporal, 8, 60), row("hbm0", Stores::temporal, 8, 120)};
  EXPECT_NE(stream_plot(one_count).script.find("\"hbm0\" 120.0000"), std::string::npos);
}

TEST(StreamSweep, ThePictureHasRoomForTheNamesOfAllSeries) {
  std::vector<SweepRow> rows;
  for (const Placement place : {Placement::compact, Placement::scatter})
    for (const StreamLoop loop : {StreamLoop::copy, StreamLoop::scale, StreamLoop::add, StreamLoop::triad})
      for (const Stores stores : {Stores::temporal, Stores::non_temporal})
        for (const int threads : {1, 2}) {
          rows.push_back(row("ddr0", stores, threads, 10));
          rows.back().point.place = place;
          rows.back().stream.loop = loop;
        }
  const base::Drawing many = stream_plot(rows), few = stream_plot(std::vector{rows[0], rows[1]});
  EXPECT_NE(many.script.find("maxrows 16"), std::string::npos);
  EXPECT_EQ(many.height - few.height, 15 * 18);
}

}  // namespace
}  // namespace weir::tool
