// SPDX-License-Identifier: Apache-2.0

#include "bench/bddt/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "bench/report/bars.hpp"

namespace weir::bench {
namespace {

constexpr int kPanelHeight = 400, kPanelWidth = 540;

bool is_weir(const BddtRow& row) { return row.runtime == "weir" || row.runtime.starts_with("island"); }

// A program in one size: a line of panels.
struct Line {
  const BddtPlan& plan;
  const std::vector<BddtRow>& rows;
  std::string program, size;

  template <class F>
  void for_each_of_weir(F&& f) const {
    for (const BddtRow& row : rows)
      if (row.program == program && row.size == size && row.has_value() && is_weir(row)) f(row);
  }
  std::string title() const { return plan.sizes.size() == 1 ? program : program + ", " + size; }
};

Bars times_of(const Line& line) {
  std::vector<std::string> names;
  for (const BddtRuntime& runtime : line.plan.runtimes) names.push_back(runtime.name);
  Bars bars(names);
  for (const int workers : line.plan.workers) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const int measured = line.plan.runtimes[i].is_serial() ? 1 : workers;
      const BddtRow* const row = find_row(line.rows, line.program, line.size, names[i], measured);
      if (row != nullptr) bars.add(std::to_string(workers), i, row->median());
    }
  }
  return bars;
}

Bars parts_of(const Line& line) {
  Bars bars({"application", "flush", "analysis", "idle"});
  line.for_each_of_weir([&](const BddtRow& row) {
    const std::string name = fmt::format("{} {}", row.runtime, row.workers);
    const double values[] = {row.parts.application, row.parts.flush, row.parts.analysis, row.parts.idle};
    for (std::size_t i = 0; i < std::size(values); ++i) bars.add(name, i, values[i]);
  });
  return bars;
}

Bars balance_of(const Line& line) {
  const int most = *std::max_element(line.plan.workers.begin(), line.plan.workers.end());
  Bars bars({"application", "flush", "analysis", "idle"});  // as above, and so in the same colours: no worker analyses
  line.for_each_of_weir([&](const BddtRow& row) {
    for (std::size_t i = 0; row.workers == most && i < row.balance.size(); ++i) {
      const BddtWorker& worker = row.balance[i];
      const std::string name = fmt::format("{} {}", row.runtime, i + 1);
      bars.add(name, 0, worker.application);
      bars.add(name, 1, worker.flush);
      bars.add(name, 3, std::max(1 - worker.application - worker.flush, 0.0));
    }
  });
  return bars;
}

// A place of the layout, which stays free when there is nothing to draw in it.
std::string place_of(const Bars& bars, const std::string& settings, const std::string& name) {
  return bars.empty() ? "set multiplot next\n" : settings + bars.script(name);
}

std::string times_place(const Line& line) {
  return place_of(times_of(line),
                  fmt::format("set title '{}: time' noenhanced\nset ylabel 's'\nset xlabel 'workers'\nset xtics "
                              "norotate\nset style histogram clustered gap 1\n",
                              line.title()),
                  fmt::format("times_{}_{}", line.program, line.size));
}

std::string weir_places(const Line& line) {
  return place_of(parts_of(line),
                  fmt::format("set xlabel ''\nset xtics rotate by -60 noenhanced\nset style histogram rowstacked\n"
                              "set ylabel 's'\nset title '{}: time of the processors' noenhanced\n",
                              line.title()),
                  fmt::format("parts_{}_{}", line.program, line.size)) +
         place_of(balance_of(line),
                  fmt::format("set title '{}: share of each worker' noenhanced\nset ylabel ''\n", line.title()),
                  fmt::format("balance_{}_{}", line.program, line.size));
}

}  // namespace

base::Drawing bddt_plot(const BddtPlan& plan, const std::vector<BddtRow>& rows) {
  std::vector<Line> lines;
  for (const std::string& program : plan.programs)
    for (const std::string& size : plan.sizes)
      if (Line line{plan, rows, program, size}; !times_of(line).empty()) lines.push_back(std::move(line));
  if (lines.empty()) return {};
  const bool has_weir =
      std::any_of(lines.begin(), lines.end(), [](const Line& line) { return !parts_of(line).empty(); });
  std::string places;
  for (const Line& line : lines) places += times_place(line) + (has_weir ? weir_places(line) : "");
  const int down = static_cast<int>(lines.size()), across = has_weir ? 3 : 1;
  return {across == 1 ? 2 * kPanelWidth : across * kPanelWidth, kPanelHeight * down,
          fmt::format("set style data histograms\nset style fill solid 0.9\nset boxwidth 0.9\nset yrange [0:*]\n"
                      "set grid ytics\nset key outside top center horizontal noenhanced\n"
                      "set multiplot layout {},{}\n{}unset multiplot\n",
                      down, across, places)};
}

}  // namespace weir::bench
