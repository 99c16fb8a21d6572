// SPDX-License-Identifier: Apache-2.0

// The master's graph against an oracle: every order that the footprints ask for, and no more than a join's worth of it.
#include "island/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>
#include <set>
#include <vector>

#include "island/footprint.hpp"
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

// The first two write what the two behind them read; the last waits for nothing.
TEST(TaskGraph, WhatAReleaseMakesReadyIsTakenBeforeWhatWasReady) {
  TaskGraph graph;
  const auto task = [&](std::uintptr_t line, Mode mode) {
    const Access one = access(line, 1, mode);
    TaskNode& made = graph.make_task();
    graph.submit(made, {&one, 1});
    return &made;
  };
  TaskNode* const first = task(1, Mode::out);
  TaskNode* const second = task(2, Mode::out);
  TaskNode* const after_second = task(2, Mode::in);
  TaskNode* const after_first = task(1, Mode::in);
  TaskNode* const also_after_first = task(1, Mode::in);
  TaskNode* const last = task(3, Mode::out);
  for (TaskNode* const writer : {first, second}) {
    EXPECT_EQ(graph.take_ready(), writer);
    writer->worker = writer == first ? 4 : 5;
  }
  graph.release(*second);
  graph.release(*first);
  EXPECT_EQ(graph.take_ready_for(5), after_second);
  EXPECT_EQ(graph.take_ready_for(4), after_first);
  EXPECT_EQ(graph.take_ready_for(kMaster), last);
  EXPECT_EQ(graph.take_ready_for(5), also_after_first);
  EXPECT_EQ(graph.take_ready_for(5), nullptr);
  for (TaskNode* const node : {after_second, after_first, also_after_first, last}) graph.release(*node);
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

// Reductions of the first long are of one operation, then of another, and then in the order of spawning; that of the
// second long is in no order with any of them.
TEST(TaskGraph, ReductionsOfOneObjectAreInNoOrderWhereTheirOperationIsTheSame) {
  TaskGraph graph;
  alignas(kLine) std::byte memory[2 * kLine];
  Heap heap(memory, sizeof memory);
  long* const x = reinterpret_cast<long*>(heap.allocate(sizeof memory).data);
  const auto submit = [&](const Access& item) {
    const base::Result<Access> lines = in_lines(item, heap);
    EXPECT_TRUE(lines);
    TaskNode& made = graph.make_task();
    graph.submit(made, {&*lines, 1});
    return &made;
  };
  const auto all_ready = [&graph] {
    std::set<TaskNode*> found;
    while (TaskNode* const node = graph.take_ready()) found.insert(node);
    return found;
  };
  using Nodes = std::set<TaskNode*>;
  const long zero = 0, one = 1;
  TaskNode* const first = submit(reduce(x[0], std::plus<>(), zero).access);
  TaskNode* const second = submit(reduce(x[0], std::plus<>(), zero).access);
  TaskNode* const third = submit(reduce(x[0], std::multiplies<>(), one).access);
  TaskNode* const fourth = submit(reduce_ordered(x[0], std::multiplies<>(), one).access);
  TaskNode* const fifth = submit(reduce_ordered(x[0], std::multiplies<>(), one).access);
  TaskNode* const of_other = submit(reduce(x[1], std::multiplies<>(), one).access);
  TaskNode* const last = submit(in(x[7]).access);
  EXPECT_EQ(all_ready(), (Nodes{first, second, of_other}));
  graph.release(*first);
  EXPECT_EQ(all_ready(), Nodes{});
  graph.release(*second);
  EXPECT_EQ(all_ready(), Nodes{third});
  graph.release(*third);
  EXPECT_EQ(all_ready(), (Nodes{fourth, fifth}));
  graph.release(*fourth);
  graph.release(*fifth);
  EXPECT_EQ(all_ready(), Nodes{});  // it reads the whole line
  graph.release(*of_other);
  EXPECT_EQ(all_ready(), Nodes{last});
  graph.release(*last);
}

TEST(TaskGraph, ATaskTellsAllThatWaitForItHoweverMany) {
  for (std::size_t readers = 1; readers <= 9; ++readers) {
    TaskGraph graph;
    const Access write = access(7, 1, Mode::out), read = access(7, 1, Mode::in);
    for (int round = 0; round < 2; ++round) {  // in the second the nodes have been used
      TaskNode& writer = graph.make_task();
      graph.submit(writer, {&write, 1});
      std::vector<TaskNode*> waiting, told;
      for (std::size_t i = 0; i < readers; ++i) {
        waiting.push_back(&graph.make_task());
        graph.submit(*waiting.back(), {&read, 1});
      }
      ASSERT_EQ(graph.take_ready(), &writer);
      ASSERT_FALSE(graph.has_ready());
      graph.release(writer);
      while (TaskNode* const task = graph.take_ready()) told.push_back(task);
      EXPECT_EQ(told, waiting);
      for (TaskNode* const task : told) graph.release(*task);
    }
  }
}

// Nodes are used again, and what the graph remembers of memory names tasks that have ended.
TEST(TaskGraph, WhatHasEndedIsNotWaitedForWhenItsNodeIsAnotherTask) {
  TaskGraph graph;
  const Access one = access(1, 1, Mode::inout), two = access(2, 1, Mode::inout);
  TaskNode& first = graph.make_task();
  graph.submit(first, {&one, 1});
  TaskNode& other = graph.make_task();
  graph.submit(other, {&two, 1});
  graph.release(*graph.take_ready());  // `other` is in flight: not all have ended
  TaskNode& in_its_node = graph.make_task();
  EXPECT_EQ(&in_its_node, &first);
  graph.submit(in_its_node, {&one, 1});
  EXPECT_TRUE(graph.new_edges().empty());
  EXPECT_EQ(graph.take_ready(), &other);
  EXPECT_EQ(graph.take_ready(), &in_its_node);
  graph.release(other);
  graph.release(in_its_node);  // now all have
  TaskNode& last = graph.make_task();
  graph.submit(last, {&two, 1});
  EXPECT_TRUE(graph.new_edges().empty());
  EXPECT_EQ(graph.take_ready(), &last);
}

TEST(TaskGraph, NodesLieAsTasksAreSpawnedAgainOnceAllHaveEnded) {
  TaskGraph graph;
  constexpr std::ptrdiff_t kTasks = 100;
  const Access one = access(1, 1, Mode::in);
  for (int round = 0; round < 2; ++round) {
    std::vector<TaskNode*> tasks;
    for (std::ptrdiff_t i = 0; i < kTasks; ++i) {
      tasks.push_back(&graph.make_task());
      graph.submit(*tasks.back(), {&one, 1});
      EXPECT_EQ(tasks.back() - tasks.front(), i);
    }
    std::size_t in_use = 0;
    graph.for_each([&](const TaskNode&) { ++in_use; });
    EXPECT_EQ(in_use, tasks.size());
    std::shuffle(tasks.begin(), tasks.end(), std::mt19937(1));
    for (TaskNode* const task : tasks) graph.release(*task);
  }
}

}  // namespace
}  // namespace weir::island
