// SPDX-License-Identifier: Apache-2.0

// From a run to its report: what is recorded, written, read and analysed.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <algorithm>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <span>
#include <sstream>
#include <thread>
#include <vector>

#include "analysis.hpp"
#include "json_file.hpp"
#include "read_trace.hpp"
#include "temporary_path.hpp"
#include "trace/trace_file.hpp"
#include "weir/weir.hpp"

namespace weir::tool::report {
namespace {

Trace record(Options options, void (*program)(Runtime&)) {
  const trace::TemporaryPath path;
  options.trace = path.file();
  if (!options.tiers.empty()) options.tiers = "memory=1MiB,file=" + path.folder() + ":64MiB";
  {
    Runtime runtime(options);
    program(runtime);
  }
  auto traces = read_traces(path.file());
  EXPECT_TRUE(traces) << traces.status().message;
  EXPECT_FALSE(traces->front().cut);
  return std::move(traces->front());
}
Trace record(int workers, void (*program)(Runtime&)) {
  Options options;
  options.workers = workers;
  return record(std::move(options), program);
}

void expect_whole(const Report& report) {
  for (const TimeParts& worker : report.workers) {
    EXPECT_LE(std::abs(worker.sum() - report.wall_ns), 0.01 * report.wall_ns) << worker.worker;
  }
}

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
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
  expect_whole(report);
  EXPECT_EQ(report.names.front().name, "work");
  EXPECT_LE(report.bound_ns(), report.wall_ns * 1.01);
  EXPECT_FALSE(report.advice.empty());
}

TEST(Report, FindsTheChainAmongOtherTasks) {
  const Trace trace = record(2, [](Runtime& runtime) {
    long chain = 0;
    std::atomic<bool> all_spawned{false};  // a task that has ended before the next is spawned is not waited for
    for (int i = 0; i < 50; ++i) {
      runtime.spawn(name("link"), inout(chain), [&, i](long& v) {
        while (i == 0 && !all_spawned) std::this_thread::yield();
        v += work(100000);
      });
      runtime.spawn(name("other"), [] { work(100); });
    }
    all_spawned = true;
    runtime.wait();
  });
  const Report report = analyse(trace);
  // Where the system takes the spawning thread's core meanwhile, the program's own code may be on the path for longer
  // than any task, and the path be longer and go past the first links.
  const auto first_of_tasks = std::find_if(report.path_names.begin(), report.path_names.end(),
                                           [](const NameCost& name) { return name.tasks != 0; });
  ASSERT_NE(first_of_tasks, report.path_names.end());
  EXPECT_EQ(first_of_tasks->name, "link");
  const auto links =
      std::find_if(report.names.begin(), report.names.end(), [](const NameCost& name) { return name.name == "link"; });
  ASSERT_NE(links, report.names.end());
  EXPECT_GE(static_cast<double>(report.path.length), 0.99 * links->ns);
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
  expect_whole(report);
}

// Eight times as many blocks as there is room for, by strategies of every kind.
TEST(Report, OfARunWithTiersAddsUpForEachWorkerWhoeverMovesTheBlocks) {
  for (const Strategy strategy :
       {Strategy::off, Strategy::inline_, Strategy::single, Strategy::multi, Strategy::ahead}) {
    Options options;
    options.workers = 2;
    options.strategy = strategy;
    options.tiers = "some";
    const Trace trace = record(options, [](Runtime& runtime) {
      Array<double, 1> blocks(runtime, {128 * 8192}, {8192}, "blocks");
      for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < 128; ++i) {
          runtime.spawn(name("touch"), inout(blocks.tile(i)), [](std::span<double> tile) { tile[0] += 1; });
        }
      }
      runtime.wait();
    });
    const Report report = analyse(trace);
    expect_whole(report);
    if (strategy == Strategy::off) continue;
    EXPECT_GT(report.sum.moving + report.sum.waiting_for_data, 0) << static_cast<int>(strategy);
    EXPECT_FALSE(trace.moves.empty());
  }
}

// What a program that was killed leaves: whatever was written is reported on.
TEST(ReadTraces, OfAFileThatEndsEarlyTellsWhatItHolds) {
  const trace::TemporaryPath path;
  Options options;
  options.workers = 2;
  options.trace = path.file();
  options.tiers = "memory=1MiB,file=" + path.folder() + ":64MiB";
  {
    Runtime runtime(options);
    Array<double, 1> blocks(runtime, {64 * 8192}, {8192}, "blocks");
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < 64; ++i) {
        runtime.spawn(name("touch"), inout(blocks.tile(i)),
                      [](std::span<double> tile) { tile[0] += static_cast<double>(work(1000)); });
      }
    }
    runtime.wait();
  }
  const std::string whole = contents(path.file());
  std::size_t tasks = 0;
  for (const std::size_t left_out : {whole.size() / 2, whole.size() / 4, std::size_t{1}}) {
    const auto reader = trace::TraceReader::of(whole.substr(0, whole.size() - left_out), "t.weir.part");
    ASSERT_TRUE(reader) << reader.status().message;
    EXPECT_TRUE(reader->ends_early());
    const auto traces = read_traces(*reader);
    ASSERT_TRUE(traces) << traces.status().message;
    ASSERT_EQ(traces->size(), 1u);
    const Trace& trace = traces->front();
    EXPECT_EQ(trace.cut, left_out != 1) << "without its last byte it lacks the index, not the summary";
    EXPECT_EQ(trace.workers, 2);
    const Report report = analyse(trace);
    EXPECT_GE(report.tasks, tasks);
    tasks = report.tasks;
    expect_whole(report);
    EXPECT_EQ(report.advice.front().find("ends early") != std::string::npos, trace.cut);
  }
  EXPECT_EQ(tasks, 192u);
}

// However it ends: the file of an earlier run stays, and what was recorded is beside it.
bool tells_of_tasks(const std::string& trace) {
  const auto traces = read_traces(trace);
  return traces && !traces->empty() && analyse(traces->front()).tasks > 0;
}

TEST(ReadTraces, OfAProgramThatWasKilledTellsWhatItDidUntilThen) {
  const trace::TemporaryPath path;
  std::ofstream(path.file()) << "of an earlier run";
  const std::string part = path.file() + ".part";
  EXPECT_EXIT(
      {
        Options options;
        options.workers = 2;
        options.trace = path.file();
        Runtime runtime(options);
        for (int i = 0; i < 500; ++i) runtime.spawn(name("done"), [] { work(1000); });
        runtime.wait();
        while (!tells_of_tasks(part)) std::this_thread::yield();  // names of tasks come before their events
        raise(SIGKILL);
      },
      testing::KilledBySignal(SIGKILL), "");
  EXPECT_EQ(contents(path.file()), "of an earlier run");
  const auto traces = read_traces(part);
  ASSERT_TRUE(traces) << traces.status().message;
  EXPECT_TRUE(traces->front().cut);
  EXPECT_GT(analyse(traces->front()).tasks, 0u);
  {
    Options options;
    options.workers = 1;
    options.trace = path.file();
    const Runtime runtime(options);
  }
  EXPECT_EQ(path.files(), 1) << "the next run has taken the part's place";
}

TEST(ReadTraces, OfAFileThatIsNotThereNamesThePartThatIs) {
  const trace::TemporaryPath path;
  std::ofstream(path.file() + ".part") << "some of it";
  const auto traces = read_traces(path.file());
  ASSERT_FALSE(traces);
  EXPECT_NE(traces.status().message.find("weir report " + path.file() + ".part"), std::string::npos);
}

TEST(ReadTraces, RefusesWhatIsNoTrace) {
  const auto message = [](const std::string& text) { return trace::TraceReader::of(text, "x").status().message; };
  EXPECT_EQ(message("some text, and more than a head has"),
            "x: not a trace of Weir (its head is not that of one); weir run --trace FILE.weir PROGRAM writes one");
  EXPECT_EQ(message("{\"traceEvents\":["),
            "x: JSON is what weir trace makes of a trace, and cannot be read back; make a trace with weir run --trace "
            "FILE.weir PROGRAM");
  EXPECT_NE(message("").find("it is empty"), std::string::npos);
  EXPECT_EQ(read_traces("/no/such/file").status().code, base::Code::not_found);
  EXPECT_EQ(read_traces("x.otf2").status().code, base::Code::bad_input);
}

TEST(Recorded, BlocksThatAreMadeCountForTheirTierAtOnce) {
  const trace::TemporaryPath path;
  Options options;
  options.workers = 1;
  options.trace = path.file();
  options.tiers = "memory=1MiB,file=" + path.folder() + ":64MiB";
  {
    Runtime runtime(options);
    const weir::Block<double> a(runtime, 8192, "a"), b(runtime, 8192, "b");
  }
  const auto traces = read_traces(path.file());
  ASSERT_TRUE(traces) << traces.status().message;
  std::vector<std::uint64_t> bytes;
  for (const Resident& change : traces->front().residency.at("memory")) bytes.push_back(change.bytes);
  ASSERT_GE(bytes.size(), 2u);
  EXPECT_EQ(bytes[0], 65536u);
  EXPECT_EQ(bytes[1], 131072u);
}

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
  const auto traces = read_traces(path.file());
  ASSERT_TRUE(traces);
  const Trace& trace = traces->front();
  ASSERT_EQ(trace.data_waits.size(), 1u);
  EXPECT_EQ(trace.data_waits.front().what, For::lock);
  EXPECT_EQ(trace.names[static_cast<std::size_t>(trace.data_waits.front().had_by)], "holder");
  const Report report = analyse(trace);
  expect_whole(report);
  EXPECT_GE(report.sum.waiting_for_others, 1e6);
  EXPECT_EQ(report.sum.waiting_for_data, 0) << "a lock is no question of memory";
}

TEST(Recorded, AWaitForATaskNamesItAlsoWhenItHadEnded) {
  const Trace trace = record(1, [](Runtime& runtime) {
    const auto first = runtime.spawn(name("first"), [] {});
    runtime.wait();
    runtime.spawn(name("second"), [first] { wait(first); });
    runtime.wait();
  });
  std::vector<std::string> awaited;
  for (const Span& span : trace.spans) {
    if (span.doing == Doing::wait && span.task != 0)
      awaited.push_back(trace.names[static_cast<std::size_t>(trace.tasks[span.task].name)]);
  }
  EXPECT_EQ(awaited, std::vector<std::string>{"first"});
}

TEST(Recorded, ATaskThatEndsLaterIsNotDoneBeforeItsCompletion) {
  const trace::TemporaryPath path;
  Options options;
  options.workers = 1;
  options.trace = path.file();
  constexpr Ns kElsewhereNs = 20'000'000;
  {
    Runtime runtime(options);
    int x = 0;
    Completion done;
    std::atomic<bool> returned = false;
    std::thread helper([&] {
      while (!returned) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::nanoseconds(kElsewhereNs));
      x = 1;
      done.complete();
    });
    runtime.spawn(name("begins"), out(x), [&] { done = end_later(); });
    runtime.spawn([&] { returned = true; });  // one worker: after the function of the first
    for (int i = 0; i < 20; ++i) runtime.spawn(name("follows"), in(x), [] {});
    runtime.wait();
    helper.join();
  }
  const auto traces = read_traces(path.file());
  ASSERT_TRUE(traces);
  const Trace& trace = traces->front();
  ASSERT_EQ(trace.late_ends.size(), 1u);
  const Ns late_end = trace.late_ends.front().at;
  const Task& begins = trace.tasks[trace.late_ends.front().task];
  EXPECT_EQ(trace.names[static_cast<std::size_t>(begins.name)], "begins");
  EXPECT_GE(late_end - begins.end, kElsewhereNs - kElsewhereNs / 20);
  for (const Task& task : trace.tasks)
    if (trace.names[static_cast<std::size_t>(task.name)] == "follows") {
      EXPECT_LE(late_end, task.start);
    }
  const Report report = analyse(trace);
  expect_whole(report);
  double elsewhere_ns = 0;
  for (const NameCost& cost : report.path_names) elsewhere_ns += cost.name == kElsewhere ? cost.path_ns : 0;
  EXPECT_DOUBLE_EQ(elsewhere_ns, static_cast<double>(late_end - begins.end));
}

// A hundred thousand others run between the function of task 1 and its end, and one that follows it is spawned when it
// is forgotten.
constexpr std::uint64_t kTasks = 100'000, kLate = 1, kFollows = kTasks + 1;
void write_late_end(const trace::TemporaryPath& path) {
  using trace::ChunkKind;
  using trace::Event;
  const auto file = trace::TraceFile::open(path.file());
  ASSERT_TRUE(file) << file.status().message;
  ASSERT_TRUE((*file)->begin({0, 0}));
  trace::Encoder track, summary;
  encode(track, trace::Definition{trace::Named::track, 0, 0, 0, "worker 0"});
  ASSERT_TRUE((*file)->append(1, ChunkKind::name, track.bytes()));
  std::vector<Event> events;
  std::uint32_t pass = 0;
  const auto drain = [&] {
    const auto bytes = std::as_bytes(std::span(events));
    ASSERT_TRUE(
        (*file)->append(1, ChunkKind::units, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, 0, ++pass));
    events.clear();
  };
  const auto run = [&](std::uint64_t task) {
    events.push_back({10 * task, 5, task, Event::pack(trace::Kind::task, 0)});
  };
  for (std::uint64_t task = kLate; task <= kTasks; ++task) {
    run(task);
    if (task % 10'000 == 0) drain();
  }
  events.push_back({10 * kTasks, 0, kFollows, Event::pack(trace::Kind::spawn, 0)});
  events.push_back({kLate, 0, 0, Event::pack(trace::Kind::edges, 0, 1)});
  drain();
  events.push_back({15, 10 * kTasks, kLate,
                    Event::pack(trace::Kind::data_wait, 0, static_cast<std::uint8_t>(trace::DataWait::completion))});
  run(kFollows);
  drain();
  trace::Summary whole;
  whole.workers = 1;
  whole.end = 10 * kTasks + 100;
  encode(summary, whole, 0);
  ASSERT_TRUE((*file)->end(1, summary.bytes()));
}

TEST(Recorded, TheLateEndOfATaskIsFoundAfterAsManyOthersAsThereAre) {
  const trace::TemporaryPath path;
  ASSERT_NO_FATAL_FAILURE(write_late_end(path));
  const auto traces = read_traces(path.file());
  ASSERT_TRUE(traces) << traces.status().message;
  const Trace& read = traces->front();
  ASSERT_EQ(read.tasks.size(), kFollows + 1);
  ASSERT_EQ(read.late_ends.size(), 1u);
  EXPECT_EQ(read.late_ends.front().task, kLate);
  const auto& before = read.tasks[kFollows].comes_after;
  EXPECT_EQ(std::vector<std::uint32_t>(before.begin(), before.end()), std::vector<std::uint32_t>{kLate});
}

// What reads a pipe has one document.
TEST(Recorded, JsonOfALateEndIsWrittenOnceIntoAPipe) {
  const trace::TemporaryPath path;
  ASSERT_NO_FATAL_FAILURE(write_late_end(path));
  const std::string pipe = path.file() + ".pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::stringstream read;
  std::thread reader([&] { read << std::ifstream(pipe).rdbuf(); });
  const auto trace = convert::TraceReader::open(path.file());
  ASSERT_TRUE(trace) << trace.status().message;
  EXPECT_TRUE(convert::write_json(*trace, pipe));
  reader.join();
  const std::string text = read.str();
  EXPECT_NE(text.find("traceEvents"), std::string::npos);
  EXPECT_EQ(text.find("traceEvents"), text.rfind("traceEvents"));
}

}  // namespace
}  // namespace weir::tool::report
