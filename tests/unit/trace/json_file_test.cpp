// SPDX-License-Identifier: Apache-2.0

// What is made of real runs for Perfetto, parsed back: required fields, pairs, and totals.
#include "json_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "json_lines.hpp"
#include "temporary_path.hpp"
#include "trace/recorder.hpp"
#include "weir/weir.hpp"

namespace weir::tool::convert {
namespace {

using trace::TemporaryPath;

using Json = nlohmann::json;

Json parse(const std::string& path) {
  const auto reader = TraceReader::open(path);
  EXPECT_TRUE(reader) << reader.status().message;
  const std::string json = path + ".json";
  const base::Status written = write_json(*reader, json);
  EXPECT_TRUE(written) << written.message;
  Json parsed = Json::parse(std::ifstream(json));
  std::remove(json.c_str());
  return parsed;
}

Options traced(const std::string& path, int workers) {
  Options options;
  options.workers = workers;
  options.trace = path;
  return options;
}

long count(const Json& trace, const char* phase, const char* category) {
  return std::count_if(trace["traceEvents"].begin(), trace["traceEvents"].end(),
                       [&](const Json& e) { return e["ph"] == phase && e["cat"] == category; });
}

void spawn_some(Runtime& runtime) {
  long values[16] = {};
  for (int i = 0; i < 500; ++i) {
    runtime.spawn(name("add"), inout(values[i % 16]), in(values[(i + 1) % 16]),
                  [](long& to, const long& from) { to += from + 1; });
  }
  runtime.spawn([] {
    for (int i = 0; i < 20; ++i) spawn([] {});
    wait();
  });
  runtime.wait();
}

TEST(JsonString, EscapesWhatJsonDoesNotAllow) {
  EXPECT_EQ(json_string("a \"b\" \\ \n"), "\"a \\\"b\\\" \\\\ \\u000a\"");
  EXPECT_EQ(json_string("Gr\xc3\xb6\xc3\x9f"
                        "e"),
            "\"Gr\xc3\xb6\xc3\x9f"
            "e\"");
  EXPECT_EQ(json_string("\xff\xc3"), "\"??\"");
  EXPECT_EQ(json_string("\xed\xa0\x80"), "\"???\"");  // half of a surrogate pair
  EXPECT_EQ(json_string("\xe0\x9f\xbf\xf0\x8f\xbf\xbf\xf4\x90\x80\x80"), "\"???????????\"");
  EXPECT_EQ(json_string("\xed\x9f\xbf\xf4\x8f\xbf\xbf"), "\"\xed\x9f\xbf\xf4\x8f\xbf\xbf\"");
}

TEST(Trace, HasTheFieldsThatEachKindOfEventNeeds) {
  const TemporaryPath path;
  {
    Runtime runtime(traced(path.file(), 3));
    spawn_some(runtime);
  }
  const Json trace = parse(path.file());
  for (const Json& event : trace["traceEvents"]) {
    ASSERT_TRUE(event["ph"].is_string() && event["name"].is_string() && event["pid"].is_number() &&
                event["tid"].is_number() && event["ts"].is_number())
        << event;
    EXPECT_GE(event["ts"].get<double>(), 0) << event;
    if (event["ph"] == "X") {
      ASSERT_TRUE(event["dur"].is_number()) << event;
      EXPECT_GE(event["dur"].get<double>(), 0) << event;
    }
  }
  EXPECT_EQ(path.files(), 1);
}

TEST(Trace, AddsUpToTheCountersOfTheRuntime) {
  const TemporaryPath path;
  Statistics statistics;
  {
    Runtime runtime(traced(path.file(), 3));
    spawn_some(runtime);
    statistics = runtime.statistics();
  }
  const Json trace = parse(path.file());
  const Json& about = trace["otherData"]["runtimes"][0];
  EXPECT_EQ(about["lost_events"], 0);
  EXPECT_EQ(about["counters"]["tasks_run"], statistics.tasks_run);
  EXPECT_EQ(count(trace, "X", "task"), static_cast<long>(statistics.tasks_run));
  EXPECT_EQ(count(trace, "X", "spawn"), 521);
  EXPECT_EQ(count(trace, "i", "steal"), about["counters"]["steals"].get<long>());
  EXPECT_EQ(count(trace, "X", "park"), about["counters"]["parks"].get<long>());
}

TEST(Trace, HasForEachEdgeAFlowFromTheEndOfOneTaskToTheStartOfTheNext) {
  const TemporaryPath path;
  {
    Runtime runtime(traced(path.file(), 2));
    long value = 0;
    for (int i = 0; i < 100; ++i) runtime.spawn(inout(value), [&value] { ++value; });
    runtime.wait();
  }
  const Json trace = parse(path.file());
  std::map<std::uint64_t, double> starts, ends;
  for (const Json& event : trace["traceEvents"]) {
    if (event["cat"] != "edge") continue;
    auto& side = event["ph"] == "s" ? starts : ends;
    EXPECT_TRUE(side.emplace(event["id"].get<std::uint64_t>(), event["ts"].get<double>()).second);
    EXPECT_EQ(event.contains("bp"), event["ph"] == "f");
  }
  EXPECT_LE(starts.size(), 99u);  // a task that has ended already needs no edge
  ASSERT_EQ(starts.size(), ends.size());
  for (const auto& [id, at] : starts) EXPECT_LE(at, ends.at(id) + 0.1) << id;  // clocks are read tens of ns apart
}

// Readers that have doubles for all numbers tell arrows apart, and what overlaps, of however many processes.
TEST(Trace, NumbersArrowsSoThatDoublesTellThemApart) {
  const TemporaryPath path;
  {
    Runtime runtime(traced(path.file(), 1));  // which runs them when all are there: each comes after another one
    long value = 0;
    for (int i = 0; i < 20; ++i) runtime.spawn(inout(value), [&value] { ++value; });
    runtime.wait();
  }
  const auto reader = TraceReader::open(path.file());
  ASSERT_TRUE(reader) << reader.status().message;
  const std::vector<JsonSource> sources(40, {&*reader, "PE", 0, 0});
  const std::vector<JsonFlow> flows(50, {{0, 0, 1}, {1, 0, 2}, "ended the wait"});
  const std::string json = path.file() + ".json";
  const base::Status written = write_json(sources, flows, json);
  ASSERT_TRUE(written) << written.message;
  const Json trace = Json::parse(std::ifstream(json));
  std::remove(json.c_str());
  std::set<std::uint64_t> numbers;
  long arrows = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "s") continue;
    const auto id = event["id"].get<std::uint64_t>();
    EXPECT_LT(id, std::uint64_t{1} << 53);
    numbers.insert(id);
    ++arrows;
  }
  EXPECT_EQ(arrows, 40 * 19 + 50);
  EXPECT_EQ(static_cast<long>(numbers.size()), arrows);
}

TEST(Trace, HasNamesOfCountersAsJsonWantsThem) {
  const TemporaryPath path;
  {
    const auto recorder = trace::Recorder::open(path.file());
    ASSERT_TRUE(recorder) << recorder.status().message;
    trace::Summary summary;
    summary.counters = {{"a \"name\"\n", 7}};
    ASSERT_TRUE((*recorder)->close(summary));
  }
  EXPECT_EQ(parse(path.file())["otherData"]["runtimes"][0]["counters"]["a \"name\"\n"], 7);
}

TEST(Trace, IsMadeOfAProgramThatDoesNotReadItsOptionsFromTheEnvironment) {
  const TemporaryPath path;
  setenv("WEIR_TRACE", path.file().c_str(), 1);
  {
    Options options;
    options.workers = 1;
    Runtime runtime(options);
    runtime.spawn(name("seen"), [] {});
    runtime.wait();
  }
  unsetenv("WEIR_TRACE");
  EXPECT_EQ(count(parse(path.file()), "X", "task"), 1);
}

TEST(Trace, HasTheBytesThatBlocksMoved) {
  const TemporaryPath path;
  {
    Options options = traced(path.file(), 2);
    options.tiers = "memory=1MiB,file=" + path.folder() + ":64MiB";
    Runtime runtime(options);
    Array<double, 1> blocks(runtime, {64 * 8192}, {8192}, "blocks");
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < 64; ++i) {
        runtime.spawn(name("touch"), inout(blocks.tile(i)), [](std::span<double> tile) { tile[0] += 1; });
      }
      runtime.wait();  // or a tile might be touched three times while it is there
    }
  }
  const Json trace = parse(path.file());
  std::map<std::string, std::uint64_t> bytes;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "b" || event["cat"] != "move") continue;
    EXPECT_EQ(event["name"], "blocks[" + event["args"]["block"].dump() + "]");
    bytes[event["args"]["to"]] += event["args"]["bytes"].get<std::uint64_t>();
  }
  const Json& counters = trace["otherData"]["runtimes"][0]["counters"];
  EXPECT_GT(bytes["memory"], 0u);
  EXPECT_EQ(bytes["memory"], counters["bytes_fetched"]);
  EXPECT_EQ(bytes["file"], counters["bytes_written_back"]);
  EXPECT_EQ(count(trace, "b", "move"), count(trace, "e", "move"));
  EXPECT_EQ(count(trace, "i", "evict"), counters["evictions"].get<long>());
  EXPECT_EQ(count(trace, "b", "data wait"), count(trace, "e", "data wait"));
  EXPECT_GT(count(trace, "C", "resident"), 0);
}

TEST(Trace, OfSeveralRuntimesIsOneFileThatIsWholeAfterEach) {
  const TemporaryPath path;
  for (int i = 1; i <= 3; ++i) {
    {
      Runtime runtime(traced(path.file(), 2));
      for (int t = 0; t < i; ++t) runtime.spawn([] {});
      runtime.wait();
    }
    const Json trace = parse(path.file());
    EXPECT_EQ(trace["otherData"]["runtimes"].size(), static_cast<std::size_t>(i));
    EXPECT_EQ(count(trace, "X", "task"), i * (i + 1) / 2);
  }
}

TEST(Trace, ThatCannotBeWrittenIsAnErrorAtTheStart) {
  try {
    const Runtime runtime(traced("/no/such/folder/trace.weir", 1));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "trace /no/such/folder/trace.weir: cannot be written: No such file or directory");
  }
}

TEST(Trace, OfTheNameOfAnotherFormatIsAnErrorThatSaysWhatToDo) {
  for (const std::string name : {"run.json", "run.otf2"}) {
    const TemporaryPath path;
    try {
      const Runtime runtime(traced(path.folder() + "/" + name, 1));
      FAIL() << "no error";
    } catch (const Error& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find("trace to " + path.folder() + "/run.weir"), std::string::npos) << said;
      EXPECT_NE(said.find("weir trace " + path.folder() + "/run.weir --to " + path.folder() + "/" + name),
                std::string::npos)
          << said;
    }
    EXPECT_EQ(path.files(), 0);
  }
}

TEST(Trace, TellsGuestsAndCancelledTasks) {
  const TemporaryPath path;
  {
    Runtime runtime(traced(path.file(), 1));
    runtime.spawn([] { throw std::runtime_error("no"); });
    runtime.spawn(name("never"), [] {});
    EXPECT_THROW(runtime.wait(), std::runtime_error);
    std::thread([&] {
      runtime.spawn([] {});
      runtime.wait();
    }).join();
  }
  const Json trace = parse(path.file());
  const Json& about = trace["otherData"]["runtimes"][0];
  EXPECT_EQ(about["tracks"].back()["name"], "guest 1");
  const Json& events = trace["traceEvents"];
  const long cancelled = std::count_if(events.begin(), events.end(), [](const Json& e) {
    return e["cat"] == "task" && e["args"].contains("cancelled");
  });
  EXPECT_EQ(cancelled, about["counters"]["tasks_cancelled"].get<long>());
}

}  // namespace
}  // namespace weir::tool::convert
