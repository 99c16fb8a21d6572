// SPDX-License-Identifier: Apache-2.0

// The master's graph against an oracle: every order that the footprints ask for, and no more than a join's worth of it.
#include "island/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "island/memory.hpp"

namespace weir::island {
namespace {

Access access(std::uintptr_t line, std::size_t lines, Mode mode) {
  return {{reinterpret_cast<const void*>(line * kLine), lines * kLine, 1, 0}, nullptr, nullptr, nullptr, mode};
}

TEST(TaskGraph, ATaskWithoutConflictsIsReadyAtOnce) {
  TaskGraph graph;
  TaskNode& a = graph.make_task();
  const Access one = access(10, 1, Mode::inout);
  graph.submit(a, {&one, 1});
  EXPECT_EQ(graph.take_ready(), &a);
  EXPECT_EQ(graph.take_ready(), nullptr);
  EXPECT_EQ(graph.unfinished(), 1u);
  graph.release(a);
  EXPECT_EQ(graph.unfinished(), 0u);
}

TEST(TaskGraph, AWriterWaitsForReadersAndTheyForTheWriterBefore) {
  TaskGraph graph;
  const Access write = access(3, 2, Mode::out), read = access(4, 1, Mode::in);
  TaskNode& first = graph.make_task();
  graph.submit(first, {&write, 1});
  TaskNode& reader = graph.make_task();
  graph.submit(reader, {&read, 1});
  ASSERT_EQ(graph.new_edges().size(), 1u);
  EXPECT_EQ(graph.new_edges()[0].from, first.id);
  EXPECT_EQ(graph.new_edges()[0].to, reader.id);
  TaskNode& last = graph.make_task();
  graph.submit(last, {&write, 1});
  EXPECT_EQ(graph.take_ready(), &first);
  EXPECT_FALSE(graph.has_ready());
  graph.release(first);
  EXPECT_EQ(graph.take_ready(), &reader);
  EXPECT_FALSE(graph.has_ready());
  graph.release(reader);
  EXPECT_EQ(graph.take_ready(), &last);
  graph.release(last);
  EXPECT_EQ(graph.unfinished(), 0u);
}

// Runs random programs in a random order of what is ready, and holds it against all pairs of tasks that conflict.
TEST(TaskGraph, RandomProgramsRunInAnOrderThatTheirFootprintsAllow) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    TaskGraph graph;
    struct Spawned {
      TaskNode* node;
      std::vector<Access> footprint;
      std::size_t ended = 0;  // when, from 1 on
    };
    std::vector<Spawned> tasks;
    std::vector<std::size_t> ready;
    std::size_t clock = 0;
    const auto take = [&] {
      while (TaskNode* const node = graph.take_ready())
        ready.push_back(static_cast<std::size_t>(
            std::find_if(tasks.begin(), tasks.end(), [&](const Spawned& t) { return t.node == node && t.ended == 0; }) -
            tasks.begin()));
    };
    const auto end_one = [&] {
      const std::size_t i = random() % ready.size();
      Spawned& task = tasks[ready[i]];
      ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(i));
      task.ended = ++clock;
      graph.release(*task.node);
      take();
    };
    for (int n = 0; n < 150; ++n) {
      Spawned task{&graph.make_task(), {}};
      for (std::size_t items = 1 + random() % 3; items > 0; --items) {
        const Mode mode = random() % 4 == 0 ? Mode::inout : Mode::in;
        task.footprint.push_back(access(100 + random() % 6, 1 + random() % 3, mode));
      }
      tasks.push_back(task);
      graph.submit(*task.node, task.footprint);
      take();
      if (random() % 3 == 0 && !ready.empty()) end_one();
    }
    while (!ready.empty()) end_one();
    EXPECT_EQ(graph.unfinished(), 0u);
    EXPECT_EQ(clock, tasks.size());
    const auto conflict = [](const Access& a, const Access& b) {
      const auto first = [](const Access& x) { return reinterpret_cast<std::uintptr_t>(x.region.base); };
      return (writes(a.mode) || writes(b.mode)) && first(a) < first(b) + b.region.row_bytes &&
             first(b) < first(a) + a.region.row_bytes;
    };
    for (std::size_t j = 0; j < tasks.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        for (const Access& a : tasks[i].footprint) {
          for (const Access& b : tasks[j].footprint) {
            if (!conflict(a, b)) continue;
            ASSERT_LT(tasks[i].ended, tasks[j].ended) << "seed " << seed;
          }
        }
      }
    }
  }
}

TEST(TaskGraph, ManyReadersBetweenManyReadersAreJoined) {
  TaskGraph graph;
  const Access read = access(7, 1, Mode::in), write = access(7, 1, Mode::concurrent);
  std::vector<TaskNode*> readers;
  for (int i = 0; i < 20; ++i) {
    readers.push_back(&graph.make_task());
    graph.submit(*readers.back(), {&read, 1});
  }
  for (int i = 0; i < 3; ++i) graph.submit(graph.make_task(), {&write, 1});  // another group
  std::size_t ready = 0;
  while (graph.take_ready() != nullptr) ++ready;
  EXPECT_EQ(ready, 20u);
  for (TaskNode* const reader : readers) graph.release(*reader);
  while (graph.take_ready() != nullptr) ++ready;
  EXPECT_EQ(ready, 23u);
  EXPECT_EQ(graph.take_ended_joins().size(), 1u);
}

}  // namespace
}  // namespace weir::island
