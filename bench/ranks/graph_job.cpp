// SPDX-License-Identifier: Apache-2.0

#include "bench/ranks/graph_job.hpp"

#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/common/median.hpp"
#include "bench/tasks/kernel.hpp"
#include "bench/tasks/sweep.hpp"

namespace weir::bench {

namespace {

constexpr std::string_view kMetg = "metg_";
constexpr long kMostWorkers = 1024;
constexpr const char* kUsage =
    "usage: PROGRAM metg_PATTERN WORKERS COUNT REPEAT WIDTH PROCESSORS, or check WORKERS, by the launcher of a job, or "
    "about";

long number(std::string_view text, long least, long most) {
  char* end = nullptr;
  const long value = std::strtol(text.data(), &end, 10);
  require(!text.empty() && *end == 0 && value >= least && value <= most, "bad number '" + std::string(text) + "'");
  return value;
}

// Tasks without dependences have nothing to do with ranks.
Pattern pattern_of(const std::string& bench) {
  const auto name = std::string_view(bench).substr(std::min(bench.size(), kMetg.size()));
  const auto found = std::find(kPatternNames.begin(), kPatternNames.end(), name);
  require(bench.starts_with(kMetg) && found != kPatternNames.end() && name != "trivial",
          "no benchmark over ranks: " + bench);
  return Pattern(found - kPatternNames.begin());
}

// On rank 0, of all ranks, the time of one run that each has verified.
double run_once(GraphJob& job, TaskGraph& graph, std::int64_t iterations) {
  graph.reset(iterations);
  job.reset(graph);
  job.barrier();
  const double start = clock_ns(CLOCK_MONOTONIC);
  job.task_graph(graph);
  job.barrier();
  const double wall_ns = clock_ns(CLOCK_MONOTONIC) - start;
  job.collect(graph);
  const std::string wrong = graph.verify(job.own_columns(graph));
  require(wrong.empty(), "rank " + std::to_string(job.rank()) + ", " +
                             std::string(kPatternNames[std::size_t(graph.pattern())]) + ": " + wrong);
  return job.of_root(wall_ns);
}

void run_metg(const GraphRequest& asked, GraphJob& job, double peak) {
  const Request& request = asked.of;
  const Pattern pattern = pattern_of(request.bench);
  bool first = true;  // a runtime has to get memory from the kernel, and ranks have to connect
  const int processors = std::min(request.workers * job.ranks(), asked.processors);
  const auto points =
      sweep({job.of_root(peak), processors, request.width, request.count}, [&](int steps, std::int64_t iterations) {
        TaskGraph graph({pattern, request.width, steps});
        job.prepare(graph);
        if (std::exchange(first, false)) run_once(job, graph, 1);
        std::vector<double> walls;
        for (int i = 0; i < request.repeat; ++i) walls.push_back(run_once(job, graph, iterations));
        job.finish(graph);
        return SweepRun{apps::median(walls), graph.tasks()};
      });
  if (job.rank() == 0) std::printf("%s\n", json_of(points).c_str());
}

void check(GraphJob& job) {
  for (std::size_t pattern = 1; pattern < kPatternNames.size(); ++pattern) {
    for (const auto& [width, steps] : {std::pair{1, 5}, {7, 40}, {8, 40}, {12, 5}, {12, 1}}) {
      TaskGraph graph({Pattern(pattern), width, steps});
      job.prepare(graph);
      for (int i = 0; i < 2; ++i) run_once(job, graph, 1);
      job.finish(graph);
    }
  }
}

}  // namespace

GraphRequest graph_request_of(std::span<char* const> arguments) {
  using What = GraphRequest::What;
  const std::string_view bench = arguments.empty() ? "" : arguments[0];
  if (arguments.size() == 1 && bench == "about") return {What::about, {}};
  if (arguments.size() == 2 && bench == "check")
    return {What::check, {"check", int(number(arguments[1], 1, kMostWorkers))}};
  require(arguments.size() == 6, kUsage);
  return {What::measure,
          {std::string(bench), int(number(arguments[1], 1, kMostWorkers)), number(arguments[2], 1, 1L << 40),
           int(number(arguments[3], 1, 1000)), int(number(arguments[4], 1, 32767))},
          int(number(arguments[5], 1, 1L << 20))};
}

double graph_peak_of(const GraphRequest& request) {
  return request.what == GraphRequest::What::measure ? peak_iterations_per_ns(processors_for(request.of.workers)) : 0;
}

void run_graph_job(const GraphRequest& request, GraphJob& job, double peak) {
  if (request.what == GraphRequest::What::check) return check(job);
  run_metg(request, job, peak);
}

int graph_main(int argc, char** argv, int (*run)(std::span<char* const> arguments)) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // who asked is gone: the result is for nobody
  try {
    return run({argv + 1, std::size_t(argc - 1)});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}

}  // namespace weir::bench
