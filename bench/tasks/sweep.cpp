// SPDX-License-Identifier: Apache-2.0

#include "bench/tasks/sweep.hpp"

#include <algorithm>

namespace weir::bench {

namespace {

constexpr double kFirstNs = 8192, kCoarsestNs = 65536;  // kernel time of the first point of a sweep, and the longest
constexpr double kPointNs = 5e6;                        // a point takes about this long where the steps allow
constexpr double kReached = 0.5, kHopeless = 0.25;      // efficiencies
constexpr int kHopelessPoints = 2;  // in a row end the sweep; one may be the work of another program
constexpr long kFewestSteps = 50;

}  // namespace

std::vector<Point> sweep(const SweepShape& shape, const std::function<SweepRun(int, std::int64_t)>& run) {
  const auto point = [&](double kernel_ns) {
    const double ns_per_step = kernel_ns * shape.width / shape.processors;
    const long steps = std::clamp(long(kPointNs / ns_per_step), kFewestSteps, std::max(shape.most_steps, kFewestSteps));
    const auto iterations = std::int64_t(kernel_ns * shape.peak);
    const SweepRun ran = run(int(steps), iterations);
    const double granularity = ran.wall_ns * shape.processors / double(ran.tasks);
    return Point{granularity, double(iterations) / shape.peak / granularity};
  };
  std::vector<Point> found;
  for (double ns = kFirstNs; ns <= kCoarsestNs; ns *= 2) {
    found.insert(found.begin(), point(ns));
    if (found.front().efficiency >= kReached) break;
  }
  int hopeless = 0;
  for (double ns = kFirstNs / 2; ns * shape.peak >= 1 && hopeless < kHopelessPoints; ns /= 2) {
    found.push_back(point(ns));
    hopeless = found.back().efficiency < kHopeless ? hopeless + 1 : 0;
  }
  return found;
}

std::string json_of(const std::vector<Point>& points) {
  std::string list;
  for (const Point& point : points) {
    if (!list.empty()) list += ',';
    list += '[' + std::to_string(point.granularity_ns) + ',' + std::to_string(point.efficiency) + ']';
  }
  return R"({"unit":"us","points":[)" + list + "]}";
}

}  // namespace weir::bench
