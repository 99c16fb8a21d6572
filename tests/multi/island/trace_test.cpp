// SPDX-License-Identifier: Apache-2.0

// From a run on islands to its report: the master records what its workers did.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <ctime>

#include "analysis.hpp"
#include "processes.hpp"
#include "read_trace.hpp"
#include "unit/trace/temporary_path.hpp"

namespace weir::tool::report {
namespace {

using island::Master;
using island::options_of;

struct Recorded {
  Trace trace;
  island::Statistics statistics;
};

Recorded record(Options options, void (*program)(Master&)) {
  const trace::TemporaryPath path;
  options.trace = path.file();
  island::Statistics statistics;
  {
    Master master(options);
    program(master);
    statistics = master.statistics();
  }
  auto traces = read_traces(path.file());
  EXPECT_TRUE(traces) << traces.status().message;
  EXPECT_EQ(path.files(), 1);  // workers wrote none
  return {std::move(traces->front()), statistics};
}

void nap(long milliseconds) {
  const timespec time{0, milliseconds * 1'000'000};
  nanosleep(&time, nullptr);
}

TEST(IslandTrace, EachPartOfEachProcessAddsUpToTheRun) {
  const Recorded run = record(
      options_of(2, island::FlushMemory::usable() ? IslandMemory::flush : IslandMemory::coherent), [](Master& master) {
        auto* const x = master.allocate<double>(8 * 4096);
        for (int i = 0; i < 200; ++i) {
          master.spawn(name("add"), inout(x + i % 8 * 4096, 4096), [](std::span<double> s) {
            for (double& value : s) value += 1;
          });
        }
        master.wait();
      });
  const Report report = analyse(run.trace);
  EXPECT_EQ(report.tasks, 200u);
  EXPECT_EQ(run.trace.counters.at("tasks_run"), 200u);
  ASSERT_EQ(report.workers.size(), 3u);
  EXPECT_EQ(report.workers[0].worker, "master");
  EXPECT_EQ(report.workers[2].worker, "island 2");
  for (const TimeParts& worker : report.workers)
    EXPECT_LE(std::abs(worker.sum() - report.wall_ns), 0.01 * report.wall_ns) << worker.worker;
  EXPECT_EQ(report.workers[0].tasks, 0u);
  EXPECT_GT(report.workers[1].tasks, 0u);
  EXPECT_GT(report.workers[1].moving, 0);  // lines made fresh and written back
  EXPECT_EQ(report.names.front().name, "add");
  EXPECT_EQ(report.names.front().bytes / report.names.front().tasks, 4096 * sizeof(double));
}

TEST(IslandTrace, EdgesMakeTheCriticalPath) {
  const Recorded run = record(options_of(2, IslandMemory::coherent), [](Master& master) {
    auto* const x = master.allocate<int>(64);
    master.spawn(name("first"), inout(x[0]), [](int&) { nap(100); });  // all others are spawned meanwhile
    for (int i = 0; i < 30; ++i) {
      master.spawn(name("link"), inout(x[0]), [](int&) { nap(1); });
      master.spawn(name("other"), inout(x[32]), [](int&) {});
    }
    master.wait();
  });
  const Report report = analyse(run.trace);
  EXPECT_EQ(report.tasks, 61u);
  const auto on_path = [&](const char* name) {
    std::uint64_t tasks = 0;
    for (const auto& entry : report.path_names)
      if (entry.name == name) tasks += entry.tasks;
    return tasks;
  };
  EXPECT_EQ(on_path("first"), 1u);
  EXPECT_EQ(on_path("link"), 30u);
  EXPECT_EQ(on_path("other"), 0u);
}

TEST(IslandTrace, WhatTheTraceSaysIsWhatTheStatisticsSay) {
  const Recorded run = record(options_of(2, IslandMemory::checked), [](Master& master) {
    auto* const x = master.allocate<int>(32);
    for (int i = 0; i < 20; ++i) master.spawn(name("nap"), inout(x[16 * (i % 2)]), [](int&) { nap(2); });
    master.wait();
  });
  const Report report = analyse(run.trace);
  ASSERT_EQ(report.workers.size(), 3u);
  for (std::size_t i = 0; i < 2; ++i) {
    const island::WorkerStatistics& said = run.statistics.workers[i];
    EXPECT_EQ(report.workers[i + 1].tasks, said.tasks);
    EXPECT_NEAR(static_cast<double>(report.workers[i + 1].running) * 1e-9, said.running_s,
                0.02 * said.running_s + 1e-5);
    EXPECT_GE(said.running_s, 0.0019 * static_cast<double>(said.tasks));
  }
}

// It waits for no work: it is gone, and nobody is to give it any.
TEST(IslandTrace, ARowEndsWhereItsWorkerDied) {
  const trace::TemporaryPath path;
  Options options = options_of(3, IslandMemory::coherent);
  options.trace = path.file();
  {
    island::Token token;
    token.close_writing();
    Master master(options, {1, 0});
    auto* const x = master.allocate<int>(16 * 30);
    const int reading = token.reading();
    for (int i = 0; i < 30; ++i) {
      master.spawn(name("nap"), inout(x[16 * i]), [reading](int& value) {
        if (island::take(reading)) ::raise(SIGKILL);
        ++value;
        nap(2);
      });
    }
    master.wait();
    EXPECT_EQ(master.statistics().workers.size(), 3u);
  }
  const auto traces = read_traces(path.file());
  ASSERT_TRUE(traces) << traces.status().message;
  const Trace& trace = traces->front();
  EXPECT_EQ(trace.counters.at("workers_died"), 1u);
  EXPECT_GT(trace.counters.at("tasks_rerun"), 0u);
  const Report report = analyse(trace);
  ASSERT_EQ(report.workers.size(), 4u);
  EXPECT_FALSE(report.workers[0].left_early);
  int early = 0;
  for (const TimeParts& worker : report.workers) {
    early += worker.left_early ? 1 : 0;
    if (worker.left_early) {
      EXPECT_LT(worker.sum(), report.wall_ns);
    } else {
      EXPECT_NEAR(worker.sum(), report.wall_ns, 0.01 * report.wall_ns) << worker.worker;
    }
  }
  EXPECT_EQ(early, 1);
  ASSERT_FALSE(report.advice.empty());
  EXPECT_NE(report.advice.front().find("1 of 3 worker processes died, and "), std::string::npos);
}

}  // namespace
}  // namespace weir::tool::report
