// SPDX-License-Identifier: Apache-2.0

#include "bench/report/render.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string_view>

#include "bench/report/bars.hpp"

namespace weir::bench {

namespace {

// Above this, something else runs, and medians of two workers mean little.
constexpr double kQuietLoad = 0.3;

constexpr int kPanelHeight = 420, kGroupWidth = 60;  // pixels of a picture

std::string figure(double value) {
  if (value < 10) return fmt::format("{:.2f}", value);
  return fmt::format("{:.{}f}", value, value < 100 ? 1 : 0);
}

const char* sign(Bound bound) { return bound == Bound::above ? "> " : bound == Bound::below ? "< " : ""; }

// Of the column of runtimes.
std::size_t width_of_runtimes(std::span<const Row> rows) {
  std::size_t width = 10;
  for (const Row& row : rows) width = std::max(width, row.runtime.size() + 1);
  return width;
}

std::string line_of(const Row& row, bool first, std::size_t width) {
  const std::string head = fmt::format("  {:<12}{:<{}}", first ? workers_text(row.workers) : "", row.runtime, width);
  if (!row.unsupported.empty()) return head + fmt::format("{:>9}\n", "-");
  if (!row.has_value()) return head + fmt::format("{:>9}\n", "failed");
  const Summary s = summary_of(row.samples);
  std::string line = head + fmt::format("{:>9}  {:>8} ..{:>8}  {:>7}", median_text(row), figure(s.least),
                                        figure(s.most), row.ratio > 0 ? fmt::format("{:.2f}", row.ratio) : "");
  if (!row.cpu_samples.empty()) {
    line += fmt::format("  {:>8}  {:>8}  {:>8}  {:>6}", figure(summary_of(row.cpu_samples).median),
                        figure(summary_of(row.cold_samples).median), figure(row.worst),
                        row.over_processors > 0 ? fmt::format("{:.2f}", row.over_processors) : "");
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string group_of(std::span<const Row> rows, const Bench& bench) {
  std::string text;
  int workers = 0;
  const std::size_t width = width_of_runtimes(rows);
  for (const Row& row : rows) {
    if (row.bench != bench.name) continue;
    text += line_of(row, row.workers != workers, width);
    workers = row.workers;
  }
  return text.empty() ? text : bench.title + "\n" + text;
}

std::string first_value(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    return colon == std::string::npos ? line : line.substr(std::min(colon + 2, line.size()));
  }
  return "unknown";
}

std::string set_variables() {
  std::string text;
  for (const char* name : {"OMP_WAIT_POLICY", "OMP_PROC_BIND", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "STARPU_SCHED",
                           "WEIR_POLICY", "WEIR_BIND", "WEIR_PARK_AFTER", "WEIR_THROTTLE"}) {
    if (const char* value = std::getenv(name)) text += fmt::format(" {}={}", name, value);
  }
  return text.empty() ? " none set" : text;
}

std::vector<int> workers_of(std::span<const Row> rows) {
  std::set<int> found;
  for (const Row& row : rows) found.insert(row.workers);
  return {found.begin(), found.end()};
}

template <class Member>
std::vector<std::string> names_of(std::span<const Row> rows, Member member) {
  std::vector<std::string> names;
  for (const Row& row : rows) {
    if (std::find(names.begin(), names.end(), row.*member) == names.end()) names.push_back(row.*member);
  }
  return names;
}

// Those that have a value with that number of workers.
Bars bars_of(std::span<const Row> rows, int workers) {
  const auto runtimes = names_of(rows, &Row::runtime);
  Bars bars(runtimes);
  for (const Row& row : rows) {
    if (row.workers != workers || !row.has_value()) continue;
    const auto column = std::find(runtimes.begin(), runtimes.end(), row.runtime) - runtimes.begin();
    bars.add(row.bench, static_cast<std::size_t>(column), summary_of(row.samples).median);
  }
  return bars;
}

}  // namespace

std::string workers_text(int workers) { return fmt::format("{} worker{}", workers, workers == 1 ? "" : "s"); }

std::string median_text(const Row& row) { return sign(row.bound()) + figure(summary_of(row.samples).median); }

std::string table_of(std::span<const Row> rows, std::span<const Bench> benches) {
  std::string text =
      fmt::format("{:{}}{:>9}  {:>18}  {:>7}  {:>8}  {:>8}  {:>8}  {:>6}\n", "", 14 + width_of_runtimes(rows), "median",
                  "min .. max", "x weir", "cpu", "cold", "worst", "x proc");
  for (const Bench& bench : benches) text += group_of(rows, bench);
  for (const Row& row : rows) {
    if (!row.error.empty())
      text += fmt::format("failed: {}, {}, {}: {}\n", row.bench, row.runtime, workers_text(row.workers), row.error);
  }
  return text;
}

std::string machine_note() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  const int cores = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 0;
  utsname system{};
  uname(&system);
  const double load = std::strtod(first_value("/proc/loadavg", "").c_str(), nullptr);
  std::string text = fmt::format("machine: {}, {} usable cores, {} {}\n", first_value("/proc/cpuinfo", "model name"),
                                 cores, system.sysname, system.release);
  text += fmt::format("environment:{}\n", set_variables());
  text +=
      fmt::format("load average before the run: {:.2f}{}\n", load,
                  load > kQuietLoad ? "; other programs run, so look at the minima and repeat on an idle machine" : "");
  return text;
}

base::Drawing plot_of(std::span<const Row> rows) {
  std::string panels;
  int count = 0;
  for (const int workers : workers_of(rows)) {
    const Bars bars = bars_of(rows, workers);
    if (bars.empty()) continue;
    ++count;
    panels += fmt::format("set title '{}'\n{}{}", workers_text(workers), bars.log_range(),
                          bars.script(fmt::format("w{}", workers)));
  }
  if (count == 0) return {};
  const int groups = static_cast<int>(names_of(rows, &Row::bench).size());
  return {std::max(1000, kGroupWidth * groups), kPanelHeight * count,
          fmt::format("set style data histograms\nset style histogram clustered gap 1\nset style fill solid 0.9\n"
                      "set logscale y\nset grid ytics\nset xtics rotate by -35 noenhanced\nset rmargin 16\n"
                      "set key outside top center horizontal noenhanced\nset ylabel 'ns per task, bytes, METG in us'\n"
                      "set multiplot layout {},1\n{}unset multiplot\n",
                      count, panels)};
}

}  // namespace weir::bench
