// From a run to its report: what is recorded, written, read and analysed.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "analysis.hpp"
#include "read_trace.hpp"
#include "temporary_path.hpp"
#include "weir/weir.hpp"

namespace weir::tool::report {
namespace {

Trace record(int workers, void (*program)(Runtime&)) {
  const trace::TemporaryPath path;
  Options options;
  options.workers = workers;
  options.trace = path.file();
  {
    Runtime runtime(options);
    program(runtime);
  }
  auto traces = read_traces(path.file());
  EXPECT_TRUE(traces) << traces.status().message;
  return std::move(traces->front());
}

long work(long amount) {
  volatile long sum = 0;
  for (long i = 0; i < amount; ++i) sum = sum + i;
  return sum;
}

TEST(Report, OfARunAddsUpForEachWorkerWithinOnePercent) {
  const Trace trace = record(3, [](Runtime& runtime) {
    long value[8] = {};
    for (int i = 0; i < 400; ++i) runtime.spawn(name("work"), inout(value[i % 8]), [](long& v) { v += work(2000); });
    runtime.wait();
  });
  const Report report = analyse(trace);
  EXPECT_EQ(report.tasks, 400u);
  ASSERT_EQ(report.workers.size(), 3u);
  for (const TimeParts& worker : report.workers) {
    EXPECT_LE(std::abs(worker.sum() - report.wall_ns), 0.01 * report.wall_ns) << worker.worker;
  }
  EXPECT_EQ(report.names.front().name, "work");
  EXPECT_LE(report.bound_ns(), report.wall_ns * 1.01);
  EXPECT_FALSE(report.advice.empty());
}

TEST(Report, FindsTheChainAmongOtherTasks) {
  const Trace trace = record(2, [](Runtime& runtime) {
    long chain = 0;
    for (int i = 0; i < 50; ++i) {
      runtime.spawn(name("link"), inout(chain), [](long& v) { v += work(100000); });
      runtime.spawn(name("other"), [] { work(100); });
    }
    runtime.wait();
  });
  const Report report = analyse(trace);
  EXPECT_EQ(report.path_names.front().name, "link");
  EXPECT_EQ(report.path_names.front().tasks, 50u);
}

TEST(Report, KnowsTasksInTasksAndHalvesOfForks) {
  const Trace trace = record(2, [](Runtime& runtime) {
    for (int i = 0; i < 10; ++i) {
      runtime.spawn([] {
        for (int j = 0; j < 10; ++j) spawn([] { work(1000); });
        wait();
        fork_join([] { work(1000); }, [] { work(1000); });
      });
    }
    runtime.wait();
  });
  const Report report = analyse(trace);
  EXPECT_EQ(report.tasks, trace.counter("tasks_run"));
  for (const TimeParts& worker : report.workers) {
    EXPECT_LE(std::abs(worker.sum() - report.wall_ns), 0.01 * report.wall_ns) << worker.worker;
  }
}

TEST(ReadTraces, RefusesWhatIsNoTrace) {
  std::istringstream text("{\"some\": \"thing\"}");
  const auto other = read_traces(text, "x.json");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.status().message,
            "x.json: not a trace of Weir (no format weir-trace-1); WEIR_TRACE=x.json or --trace writes one");
  std::istringstream half("{\"traceEvents\":[");
  EXPECT_FALSE(read_traces(half, "x.json"));
  EXPECT_EQ(read_traces("/no/such/file").status().code, base::Code::not_found);
  EXPECT_EQ(read_traces("x.otf2").status().code, base::Code::bad_input);
}

// The file itself: who waited for commutative data, and for whom.
TEST(Recorded, WaitsForCommutativeDataNameWhoHadIt) {
  const trace::TemporaryPath path;
  Options options;
  options.workers = 2;
  options.trace = path.file();
  {
    Runtime runtime(options);
    std::atomic<bool> begun = false, contended = false;
    long sum = 0;
    runtime.spawn(name("holder"), commutative(sum), [&](long&) {
      begun = true;
      while (!contended) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the other is to come to the lock meanwhile
    });
    while (!begun) std::this_thread::yield();
    runtime.spawn(name("contender"), commutative(sum), [](long&) {});
    runtime.spawn(Priority::background, [&] { contended = true; });
    runtime.wait();
  }
  std::ifstream file(path.file());
  const nlohmann::json all = nlohmann::json::parse(file);
  int begins = 0, ends = 0;
  for (const auto& event : all.at("traceEvents")) {
    if (event.value("cat", "") != "lock wait") continue;
    EXPECT_EQ(event.at("name"), "waits for commutative data");
    ends += event.at("ph") == "e" ? 1 : 0;
    if (event.at("ph") != "b") continue;
    ++begins;
    EXPECT_EQ(event.at("args").at("had_by"), "holder");
  }
  EXPECT_EQ(begins, 1);
  EXPECT_EQ(ends, 1);
  const auto traces = read_traces(path.file());
  ASSERT_TRUE(traces);
  EXPECT_TRUE(traces->front().data_waits.empty()) << "a lock is no question of memory";
}

}  // namespace
}  // namespace weir::tool::report
