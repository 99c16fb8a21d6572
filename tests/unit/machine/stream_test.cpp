// SPDX-License-Identifier: Apache-2.0

#include "machine/stream.hpp"

#include <gtest/gtest.h>

#include "platform/affinity.hpp"

namespace weir::machine {
namespace {

StreamSettings small(std::size_t threads, Stores stores) {
  StreamSettings settings;
  settings.threads.resize(threads);  // not bound
  settings.array = {100'000};
  settings.repetitions = 3;
  settings.stores = stores;
  return settings;
}

TEST(Stream, GivesFourVerifiedRowsWithEitherKindOfStore) {
  for (const Stores stores : {Stores::temporal, Stores::non_temporal}) {
    const auto report = run_stream(small(2, stores));
    ASSERT_TRUE(report) << report.status().message;
    EXPECT_TRUE(report->verified) << report->error;
    ASSERT_EQ(report->rows.size(), 4u);
    for (const StreamRow& row : report->rows) {
      EXPECT_GT(row.best_gb_per_s, 0);
      EXPECT_LE(row.median_gb_per_s, row.best_gb_per_s);
      EXPECT_LE(row.best_seconds, row.average_seconds);
      EXPECT_LE(row.average_seconds, row.worst_seconds);
    }
  }
}

TEST(Stream, CountsBytesAsTheOriginalDoes) {
  const auto report = run_stream(small(1, Stores::temporal));
  ASSERT_TRUE(report);
  const double array = double(report->array.count);
  const double arrays[] = {2, 2, 3, 3};
  for (std::size_t i = 0; i < 4; ++i) {
    const StreamRow& row = report->rows[i];
    EXPECT_NEAR(row.best_gb_per_s * row.best_seconds * 1e9, arrays[i] * array, 1e-6 * array) << to_string(row.loop);
  }
}

TEST(Stream, RoundsArraysUpToWholeSlices) {
  const auto report = run_stream(small(3, Stores::temporal));
  ASSERT_TRUE(report);
  EXPECT_GE(report->array.count, 100'000u);
  EXPECT_LT(report->array.count, 101'000u);
}

TEST(Stream, RunsSomeLoopsOnlyAndStillVerifies) {
  StreamSettings settings = small(2, Stores::non_temporal);
  settings.loops = {StreamLoop::triad};
  const auto report = run_stream(settings);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->rows.size(), 1u);
  EXPECT_EQ(report->rows[0].loop, StreamLoop::triad);
  EXPECT_TRUE(report->verified);
}

TEST(Stream, MoreMemoryThanThereIsIsRefused) {
  StreamSettings settings = small(1, Stores::temporal);
  settings.array = {std::uint64_t{1} << 50};
  const auto report = run_stream(settings);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.status().code, base::Code::no_space);
}

TEST(Stream, SettingsWithoutMeaningAreRefused) {
  EXPECT_FALSE(run_stream(small(0, Stores::temporal)));
  StreamSettings settings = small(1, Stores::temporal);
  settings.repetitions = 1;
  EXPECT_FALSE(run_stream(settings));
  settings = small(1, Stores::temporal);
  settings.array = {};
  EXPECT_FALSE(run_stream(settings));
}

TEST(Stream, ACpuThatIsNotThereIsToldAndNothingHangs) {
  StreamSettings settings = small(2, Stores::temporal);
  settings.threads[1] = {100'000};
  const auto report = run_stream(settings);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.status().code, base::Code::not_found);
}

TEST(Stream, LeavesTheCallersMaskAlone) {
  const auto before = platform::this_thread_cpus();
  StreamSettings settings = small(1, Stores::temporal);
  settings.threads[0] = {before.front()};
  ASSERT_TRUE(run_stream(settings));
  EXPECT_EQ(platform::this_thread_cpus(), before);
}

TEST(StreamThreads, TakeACoreEachDomainByDomainAndThenShare) {
  const Machine m = Machine::from_description("numa:2(memory=1GB) core:2 pu:2").value();
  using Threads = std::vector<std::vector<int>>;
  EXPECT_EQ(stream_threads(m, {}, 0), (Threads{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(stream_threads(m, {DomainId(1)}, 3), (Threads{{4, 5}, {6, 7}, {4, 5}}));
}

TEST(StreamArraySize, IsFourTimesAllCachesAndEightyMegabytesAtLeast) {
  EXPECT_EQ(stream_array_size(Machine::from_description("pack:2 l3:1(size=100MB) core:1 pu:1").value()).count,
            800'000'000u);
  EXPECT_EQ(stream_array_size(Machine::from_description("core:1 pu:1").value()).count, 80'000'000u);
}

}  // namespace
}  // namespace weir::machine
