// SPDX-License-Identifier: Apache-2.0

#include "bench/tasks/graph_benches.hpp"

#include <sched.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/tasks/kernel.hpp"

namespace weir::bench {

namespace {

constexpr std::string_view kMetg = "metg_", kSmall = "small_", kFresh = "_fresh";

constexpr double kFirstNs = 8192, kCoarsestNs = 65536;  // kernel time of the first point of a sweep, and the longest
constexpr double kPointNs = 5e6;                        // a point takes about this long where the steps allow
constexpr double kReached = 0.5, kHopeless = 0.25;      // efficiencies
constexpr int kHopelessPoints = 2;  // in a row end the sweep; one may be the work of another program
constexpr int kFewestSteps = 50;

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

struct Point {
  double granularity_ns = 0;  // processor time / tasks, as Task Bench defines it
  double efficiency = 0;
};

// The median of `repeat` runs of the graph with this kernel.
Point run_point(Contender& contender, const Request& request, TaskGraph& graph, std::int64_t iterations, double peak) {
  std::vector<double> walls;
  for (int i = 0; i < request.repeat; ++i)
    walls.push_back(run_once(contender, graph, iterations, request.bench).wall_ns);
  std::nth_element(walls.begin(), walls.begin() + long(walls.size() / 2), walls.end());
  const double granularity = walls[walls.size() / 2] * processors_for(request.workers) / double(graph.tasks());
  return {granularity, double(iterations) / peak / granularity};
}

class Sweep {
 public:
  Sweep(Contender& contender, const Request& request, double peak)
      : contender_(contender), request_(request), peak_(peak), name_(graph_of(request.bench)) {}

  // Doubles the kernel's time until an efficiency is reached, then halves it from where that began until the
  // efficiency is hopeless. All points, from long kernels to short ones.
  std::vector<Point> points() {
    std::vector<Point> found;
    for (double ns = kFirstNs; ns <= kCoarsestNs; ns *= 2) {
      found.insert(found.begin(), point(ns));
      if (found.front().efficiency >= kReached) break;
    }
    int hopeless = 0;
    for (double ns = kFirstNs / 2; ns * peak_ >= 1 && hopeless < kHopelessPoints; ns /= 2) {
      found.push_back(point(ns));
      hopeless = found.back().efficiency < kHopeless ? hopeless + 1 : 0;
    }
    return found;
  }

 private:
  Point point(double kernel_ns) {
    const double ns_per_step = kernel_ns * request_.width / processors_for(request_.workers);
    const long steps =
        std::clamp(long(kPointNs / ns_per_step), long(kFewestSteps), std::max(request_.count, long(kFewestSteps)));
    TaskGraph graph({name_.pattern, request_.width, int(steps)}, name_.memory);
    contender_.prepare(graph);
    if (std::exchange(first_, false)) run_once(contender_, graph, 1, request_.bench);
    const Point found = run_point(contender_, request_, graph, std::int64_t(kernel_ns * peak_), peak_);
    contender_.finish(graph);
    return found;
  }

  Contender& contender_;
  const Request& request_;
  double peak_;
  GraphName name_;
  bool first_ = true;  // the runtime has to get memory from the kernel
};

void run_metg(Contender& contender, const Request& request, double peak) {
  std::string points;
  for (const Point& point : Sweep(contender, request, peak).points()) {
    append(points, '[' + std::to_string(point.granularity_ns) + ',' + std::to_string(point.efficiency) + ']');
  }
  std::printf("{\"unit\":\"us\",\"points\":[%s]}\n", points.c_str());
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

int processors_for(int workers) {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return workers;
  return std::clamp(CPU_COUNT(&usable), 1, workers);
}

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
