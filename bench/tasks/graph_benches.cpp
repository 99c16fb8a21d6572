// SPDX-License-Identifier: Apache-2.0

#include "bench/tasks/graph_benches.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/common/median.hpp"
#include "bench/tasks/kernel.hpp"
#include "bench/tasks/sweep.hpp"

namespace weir::bench {

namespace {

constexpr std::string_view kMetg = "metg_", kSmall = "small_", kFresh = "_fresh";

constexpr double kSmallNs = 140;  // kernel time of small_GRAPH

struct GraphName {
  Pattern pattern = Pattern::trivial;
  Memory memory = Memory::used_again;
};

GraphName graph_of(std::string_view bench) {
  std::string_view name = bench.substr(bench.find('_') + 1);
  GraphName graph;
  if (name.ends_with(kFresh)) {
    graph.memory = Memory::fresh;
    name.remove_suffix(kFresh.size());
  }
  const auto found = std::find(kPatternNames.begin(), kPatternNames.end(), name);
  require(found != kPatternNames.end(), "no pattern " + std::string(name));
  graph.pattern = Pattern(found - kPatternNames.begin());
  return graph;
}

// Of one run, which is verified.
Span run_once(Contender& contender, TaskGraph& graph, std::int64_t iterations, const std::string& name) {
  graph.reset(iterations);
  const Span span = timed([&] { contender.task_graph(graph); });
  const std::string wrong = graph.verify();
  require(wrong.empty(), name + ": " + wrong);
  return span;
}

// The median of `repeat` runs of the graph with this kernel.
double median_wall_ns(Contender& contender, const Request& request, TaskGraph& graph, std::int64_t iterations) {
  std::vector<double> walls;
  for (int i = 0; i < request.repeat; ++i)
    walls.push_back(run_once(contender, graph, iterations, request.bench).wall_ns);
  return apps::median(walls);
}

void run_metg(Contender& contender, const Request& request, double peak) {
  const GraphName name = graph_of(request.bench);
  bool first = true;  // the runtime has to get memory from the kernel
  const SweepShape shape{peak, processors_for(request.workers), request.width, request.count};
  const auto points = sweep(shape, [&](int steps, std::int64_t iterations) {
    TaskGraph graph({name.pattern, request.width, steps}, name.memory);
    contender.prepare(graph);
    if (std::exchange(first, false)) run_once(contender, graph, 1, request.bench);
    const SweepRun found{median_wall_ns(contender, request, graph, iterations), graph.tasks()};
    contender.finish(graph);
    return found;
  });
  std::printf("%s\n", json_of(points).c_str());
}

// Always the same short tasks: what is left to see is how the runtime copes, with more workers than processors too.
void run_small(Contender& contender, const Request& request, double peak) {
  const GraphName name = graph_of(request.bench);
  TaskGraph graph({name.pattern, request.width, int(std::max(request.count / request.width, 1L))}, name.memory);
  contender.prepare(graph);
  const auto iterations = std::int64_t(kSmallNs * peak);
  measure_spans(request, double(graph.tasks()), [&] { return run_once(contender, graph, iterations, request.bench); });
  contender.finish(graph);
}

void check_graph(Contender& contender, const Grid& grid, Memory memory) {
  TaskGraph graph(grid, memory);
  contender.prepare(graph);
  const std::string name(kPatternNames[std::size_t(grid.pattern)]);
  for (int i = 0; i < 2; ++i) run_once(contender, graph, 1, memory == Memory::fresh ? name + " (fresh)" : name);
  contender.finish(graph);
}

}  // namespace

bool is_graph_bench(const std::string& bench) { return bench.starts_with(kMetg) || bench.starts_with(kSmall); }

void run_graph_bench(Contender& contender, const Request& request, double peak) {
  if (request.bench.starts_with(kMetg)) return run_metg(contender, request, peak);
  run_small(contender, request, peak);
}

void check_graphs(Contender& contender) {
  for (std::size_t pattern = 0; pattern < kPatternNames.size(); ++pattern) {
    for (const Memory memory : {Memory::used_again, Memory::fresh}) {
      for (const auto& [width, steps] : {std::pair{1, 5}, {7, 40}, {8, 40}, {12, 5}, {12, 1}}) {
        check_graph(contender, {Pattern(pattern), width, steps}, memory);
      }
    }
  }
}

}  // namespace weir::bench
