// SPDX-License-Identifier: Apache-2.0

// What a program did is read from its trace, and runs again from that.
#include "sim/read_program.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "made_program.hpp"
#include "weir/weir.hpp"

namespace weir::sim {
namespace {

class Traced {
 public:
  explicit Traced(const char* name) : path_("/tmp/weir_sim_" + std::to_string(getpid()) + "_" + name + ".weir") {}
  ~Traced() { std::remove(path_.c_str()); }

  Options options(int workers) const {
    Options options;
    options.workers = workers;
    options.trace = path_;
    return options;
  }
  base::Result<Program> read() const {
    auto reader = trace::TraceReader::open(path_);
    if (!reader) return reader.status();
    return read_program(*reader, reader->runtimes().front());
  }

 private:
  std::string path_;
};

std::uint64_t count(const Program& program, const Span& span, Act act) {
  std::uint64_t found = 0;
  for (std::uint32_t i = span.first; i < span.first + span.count; ++i) found += program.actions[i].act == act ? 1 : 0;
  return found;
}

TEST(ReadProgram, HasEachTaskWithItsFootprintAndWhatItSpawns) {
  const Traced traced("tree");
  {
    Runtime runtime(traced.options(2));
    int x = 0;
    spawn(inout(x), name("outer"), [] {
      spawn(name("inner"), [] {});
      spawn(name("inner"), [] {});
      wait();
    });
    spawn(in(x), name("reader"), [] {});
    wait();
  }
  const auto program = traced.read();
  ASSERT_TRUE(program) << program.status().message;
  ASSERT_EQ(program->tasks.size(), 4u);
  const ProgramTask* outer = nullptr;
  for (const ProgramTask& task : program->tasks)
    if (program->names[task.name] == "outer") outer = &task;
  ASSERT_NE(outer, nullptr);
  EXPECT_EQ(count(*program, outer->actions, Act::spawn), 2u);
  EXPECT_EQ(count(*program, outer->actions, Act::wait_children), 1u);
  ASSERT_EQ(outer->items.count, 1u);
  EXPECT_EQ(program->items[outer->items.first].mode, Mode::inout);
  EXPECT_EQ(program->items[outer->items.first].region.row_bytes, sizeof(int));
  ASSERT_EQ(program->threads.size(), 1u);
  EXPECT_EQ(count(*program, program->threads[0].actions, Act::spawn), 2u);
  EXPECT_EQ(count(*program, program->threads[0].actions, Act::wait_children), 2u);  // and that of the runtime's end
  ASSERT_NE(program->real.setting("strategy"), nullptr);
  EXPECT_EQ(*program->real.setting("workers"), "2");
}

TEST(ReadProgram, AThreadOfTheProgramComesWhenItCameAndHasGoneAfterItsLastInterval) {
  const Traced traced("guest");
  {
    Runtime runtime(traced.options(1));
    spawn(name("before"), [] {});
    wait();
    std::thread([&] {
      runtime.spawn(name("by guest"), [] {});
      runtime.wait();
    }).join();
    spawn(name("after"), [] {});
    wait();
  }
  const auto program = traced.read();
  ASSERT_TRUE(program) << program.status().message;
  ASSERT_EQ(program->threads.size(), 2u);
  EXPECT_EQ(count(*program, program->threads[0].actions, Act::start_thread), 1u);
  const ProgramThread& guest = program->threads[1];
  EXPECT_TRUE(guest.is_started);
  EXPECT_EQ(program->actions[guest.actions.first].act, Act::spawn);
  EXPECT_NE(program->actions[guest.actions.first + guest.actions.count - 1].act, Act::compute);
}

TEST(ReadProgram, AWaitThatFoundNothingToWaitForIsThere) {
  const Traced traced("late");
  {
    Runtime runtime(traced.options(1));
    spawn([] {});
    wait();
    wait();
  }
  const auto program = traced.read();
  ASSERT_TRUE(program) << program.status().message;
  EXPECT_EQ(count(*program, program->threads[0].actions, Act::wait_children), 3u);  // and the runtime's
}

TEST(ReadProgram, TasksThatWaitedForEndedOnesAreAChainOnAnyMachine) {
  const Traced traced("handles");
  {
    Runtime runtime(traced.options(1));
    const auto first = spawn(name("first"), [] {});
    wait();
    spawn(name("second"), [first] { wait(first); });
    wait();
  }
  const auto program = traced.read();
  ASSERT_TRUE(program) << program.status().message;
  ASSERT_EQ(program->tasks.size(), 2u);
  const Span& second = program->tasks[1].actions;
  ASSERT_EQ(count(*program, second, Act::wait_task), 1u);
  const auto begin = program->actions.begin() + second.first;
  EXPECT_EQ(
      std::find_if(begin, program->actions.end(), [](const Action& a) { return a.act == Act::wait_task; })->subject,
      0u);
}

TEST(ReadProgram, ItsCoresAreThoseOfTheMachineUnlessItWasGivenAnother) {
  for (const bool given : {false, true}) {
    const Traced traced(given ? "given" : "found");
    {
      Options options = traced.options(1);
      if (given) options.machine = "numa:2 core:2 pu:1";
      Runtime runtime(options);
      spawn([] {});
      wait();
    }
    const auto program = traced.read();
    ASSERT_TRUE(program) << program.status().message;
    EXPECT_NE(program->real.machine, "");
    EXPECT_EQ(program->real.cores, given ? 0 : std::stoul(program->real.machine)) << program->real.machine;
  }
}

TEST(ReadProgram, BlocksAreMadeWhereTheyWereAndMoveAsTheyDid) {
  const Traced traced("blocks");
  constexpr std::size_t kCount = 1 << 16;  // ints: 256 KiB
  {
    Options options = traced.options(1);
    options.tiers = "memory=512KiB,emulated=4MiB@1";
    Runtime runtime(options);
    std::vector<Block<int>> blocks;
    for (int i = 0; i < 4; ++i) blocks.emplace_back(runtime, kCount, "b");
    for (int round = 0; round < 3; ++round)
      for (Block<int>& block : blocks) spawn(inout(block), [](std::span<int> all) { all[0] += 1; });
    wait();
  }
  const auto program = traced.read();
  ASSERT_TRUE(program) << program.status().message;
  EXPECT_EQ(program->blocks.size(), 4u);
  EXPECT_EQ(program->blocks[0].bytes, kCount * sizeof(int));
  EXPECT_EQ(count(*program, program->threads[0].actions, Act::make), 4u);
  EXPECT_EQ(program->real.tiers, (std::vector<std::string>{"memory", "emulated"}));
  EXPECT_GT(program->real.moved[0][1], 0u);
  EXPECT_EQ(program->real.page_times[0].bytes(), 512u << 10);  // all of the budget
  EXPECT_GT(program->real.page_times[0].ns(), 0u);
}

TEST(ReadProgram, ATaskGraphFromATraceRunsAgainWithAllItsTasks) {
  const Traced traced("again");
  {
    Runtime runtime(traced.options(2));
    std::vector<int> cells(16);
    for (int step = 0; step < 20; ++step)
      for (std::size_t i = 1; i + 1 < cells.size(); ++i)
        spawn(in(cells[i - 1]), in(cells[i + 1]), inout(cells[i]), [] {});
    wait();
  }
  const auto program = traced.read();
  ASSERT_TRUE(program) << program.status().message;
  for (const int workers : {1, 2, 5}) EXPECT_EQ(predict(*program, made_target(workers, {kPage})).tasks, 20u * 14u);
}

TEST(ReadProgram, StolenHalvesOfForkJoinAreRefused) {
  const Traced traced("halves");
  {
    Runtime runtime(traced.options(2));
    const std::thread::id here = std::this_thread::get_id();
    std::atomic<bool> stolen{false};
    const auto leave_time = [&] {
      for (int i = 0; i < 1000 && !stolen; ++i) std::this_thread::yield();
    };
    while (!stolen) fork_join(leave_time, [&] { stolen = stolen || std::this_thread::get_id() != here; });
  }
  const auto read = traced.read();
  ASSERT_FALSE(read);
  EXPECT_NE(read.status().message.find("fork_join"), std::string::npos) << read.status().message;
}

TEST(ReadProgram, WhatATaskHadBegunElsewhereIsPartOfItsTimeAgain) {
  const Traced traced("elsewhere");
  {
    Runtime runtime(traced.options(1));
    int x = 0;
    Completion done;
    std::atomic<bool> returned = false;
    std::thread helper([&] {
      while (!returned) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      done.complete();
    });
    spawn(out(x), [&] { done = end_later(); });
    spawn([&] { returned = true; });  // one worker: after the function of the first
    spawn(in(x), [] {});
    wait();
    helper.join();
  }
  const auto program = traced.read();
  ASSERT_TRUE(program) << program.status().message;
  std::uint64_t late_ns = 0;
  for (const ProgramTask& task : program->tasks) late_ns += task.late_ns;
  EXPECT_GE(late_ns, 19'000'000u);
  const Prediction predicted = predict(*program, made_target(1, {kPage}));
  EXPECT_GE(predicted.makespan_ns, late_ns);
}

}  // namespace
}  // namespace weir::sim
