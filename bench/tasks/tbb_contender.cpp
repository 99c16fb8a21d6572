// SPDX-License-Identifier: Apache-2.0

// oneTBB: task_group for independent and nested tasks, a flow graph of continue_nodes where tasks depend on each other.
// Both are the library's own idioms for that; counters kept by hand in task_group tasks would be another program.
#include <deque>
#include <vector>

#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/version.h>

#include "bench/tasks/contender.hpp"

namespace weir::bench {

namespace {

using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;
using Message = tbb::flow::continue_msg;

long fibonacci_task(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  tbb::parallel_invoke([&a, n] { a = fibonacci_task(n - 1); }, [&b, n] { b = fibonacci_task(n - 2); });
  return a + b;
}

class TbbContender final : public Contender {
 public:
  explicit TbbContender(int workers)
      : limit_(tbb::global_control::max_allowed_parallelism, std::size_t(workers)), arena_(workers, 1) {
    arena_.initialize();
  }

  std::string about() const override { return std::string("oneTBB ") + TBB_runtime_version(); }
  void enter(const std::function<void()>& work) override { arena_.execute(work); }

  void independent(long count) override {
    run_group(count, [] { empty_task(); });
  }
  void independent_counted(long count, std::atomic<long>& counter) override {
    run_group(count, [&counter] { ++counter; });
  }

  void chain(long count, Slot& slot) override {
    tbb::flow::graph graph;
    std::deque<Node> nodes;
    for (long i = 0; i < count; ++i) {
      nodes.emplace_back(graph, [&slot](const Message&) { ++slot.value; });
      if (i > 0) tbb::flow::make_edge(nodes[std::size_t(i - 1)], nodes.back());
    }
    nodes.front().try_put(Message{});
    graph.wait_for_all();
  }

  long fibonacci(int n) override { return fibonacci_task(n); }

  void wavefront(Wavefront& grid) override {
    const int side = grid.side();
    tbb::flow::graph graph;
    std::deque<Node> nodes;
    for (int r = 0; r < side; ++r) {
      for (int c = 0; c < side; ++c) {
        nodes.emplace_back(graph, [&grid, r, c](const Message&) { grid.execute(r, c); });
        const std::size_t self = nodes.size() - 1;
        if (c > 0) tbb::flow::make_edge(nodes[self - 1], nodes[self]);
        if (r > 0) tbb::flow::make_edge(nodes[self - std::size_t(side)], nodes[self]);
      }
    }
    nodes.front().try_put(Message{});
    graph.wait_for_all();
  }

  void task_graph(TaskGraph& tasks) override {
    if (tasks.pattern() == Pattern::trivial) return trivial_graph(tasks);
    tbb::flow::graph graph;
    std::deque<Node> nodes;
    std::vector<Node*> first;
    for (int step = 0; step < tasks.steps(); ++step) {
      const Columns row = tasks.columns(step);
      for (int column = row.first; column < row.end(); ++column) {
        nodes.emplace_back(graph, [&tasks, step, column](const Message&) { tasks.execute(step, column); });
        if (!connect(tasks, step, column, nodes)) first.push_back(&nodes.back());
      }
    }
    for (Node* node : first) node->try_put(Message{});
    graph.wait_for_all();
  }

  void pending(long count, const std::function<void()>& at_peak) override {
    tbb::task_group group;
    for (long i = 0; i < count; ++i) group.run([] { empty_task(); });
    at_peak();
    group.wait();
  }

 private:
  template <class Body>
  static void run_group(long count, Body body) {
    tbb::task_group group;
    for (long i = 0; i < count; ++i) group.run(body);
    group.wait();
  }

  // Edges to the newest node, which runs the task, from all that it waits for; false when that is nothing.
  static bool connect(TaskGraph& tasks, int step, int column, std::deque<Node>& nodes) {
    const auto inputs = tasks.inputs(step, column);
    const auto users = tasks.users_before(step, column);
    for (const int c : inputs) tbb::flow::make_edge(nodes[std::size_t(tasks.number(step - 1, c))], nodes.back());
    for (const auto& user : users) {
      tbb::flow::make_edge(nodes[std::size_t(tasks.number(step - user.back, user.column))], nodes.back());
    }
    return !inputs.empty() || !users.empty();
  }

  static void trivial_graph(TaskGraph& tasks) {
    tbb::task_group group;
    for (int step = 0; step < tasks.steps(); ++step) {
      for (int column = 0; column < tasks.width(); ++column) {
        group.run([&tasks, step, column] { tasks.execute(step, column); });
      }
    }
    group.wait();
  }

  tbb::global_control limit_;
  tbb::task_arena arena_;
};

}  // namespace

std::unique_ptr<Contender> make_contender(int workers, const std::string& /*bench*/) {
  return std::make_unique<TbbContender>(workers);
}

}  // namespace weir::bench
