// SPDX-License-Identifier: Apache-2.0

#include "bench/bddt/plot.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weir::bench {
namespace {

constexpr int kPanelHeight = 400, kWidth = 1600;

bool is_weir(const BddtRow& row) { return row.runtime == "weir" || row.runtime.starts_with("island"); }

// A line for each number of workers, a column for each runtime.
std::string times_data(const BddtPlan& plan, const std::vector<BddtRow>& rows, const std::string& program) {
  std::string text = fmt::format("$times_{} << EOD\nworkers", program);
  for (const BddtRuntime& runtime : plan.runtimes) text += " " + runtime.name;
  for (const int workers : plan.workers) {
    text += fmt::format("\n{}", workers);
    for (const BddtRuntime& runtime : plan.runtimes) {
      const BddtRow* const row =
          find_row(rows, program, plan.sizes.front(), runtime.name, runtime.is_serial() ? 1 : workers);
      text += row == nullptr ? " NaN" : fmt::format(" {}", row->median());
    }
  }
  return text + "\nEOD\n";
}

template <class F>
void for_each_of_weir(const BddtPlan& plan, const std::vector<BddtRow>& rows, const std::string& program, F&& f) {
  for (const BddtRow& row : rows)
    if (row.program == program && row.size == plan.sizes.front() && row.has_value() && is_weir(row)) f(row);
}

std::string parts_data(const BddtPlan& plan, const std::vector<BddtRow>& rows, const std::string& program) {
  std::string text = fmt::format("$parts_{} << EOD\nrun application flush analysis idle\n", program);
  for_each_of_weir(plan, rows, program, [&](const BddtRow& row) {
    text += fmt::format("\"{} {}\" {} {} {} {}\n", row.runtime, row.workers, row.parts.application, row.parts.flush,
                        row.parts.analysis, row.parts.idle);
  });
  return text + "EOD\n";
}

std::string balance_data(const BddtPlan& plan, const std::vector<BddtRow>& rows, const std::string& program) {
  const int most = *std::max_element(plan.workers.begin(), plan.workers.end());
  std::string text = fmt::format("$balance_{} << EOD\nworker application flush idle\n", program);
  for_each_of_weir(plan, rows, program, [&](const BddtRow& row) {
    if (row.workers != most) return;
    for (std::size_t i = 0; i < row.balance.size(); ++i) {
      const BddtWorker& worker = row.balance[i];
      text += fmt::format("\"{} {}\" {} {} {}\n", row.runtime, i + 1, worker.application, worker.flush,
                          std::max(1 - worker.application - worker.flush, 0.0));
    }
  });
  return text + "EOD\n";
}

std::string panels(const BddtPlan& plan, const std::string& program) {
  return fmt::format(
      "set title '{0}: time' noenhanced\nset ylabel 's'\nset xlabel 'workers'\nset xtics norotate\n"
      "set style histogram clustered gap 1\n"
      "plot for [i=2:{1}] $times_{0} using i:xtic(1) title columnheader(i)\n"
      "set xlabel ''\nset xtics rotate by -60 noenhanced\nset style histogram rowstacked\n"
      "set title '{0}: time of the processors' noenhanced\n"
      "plot for [i=2:5] $parts_{0} using i:xtic(1) title columnheader(i)\n"
      "set title '{0}: share of each worker' noenhanced\nset ylabel ''\n"
      "plot for [i=2:4] $balance_{0} using i:xtic(1) title columnheader(i)\n",
      program, plan.runtimes.size() + 1);
}

}  // namespace

std::string bddt_plot(const BddtPlan& plan, const std::vector<BddtRow>& rows, const std::string& terminal,
                      const std::string& file) {
  std::string text;
  for (const std::string& program : plan.programs) {
    text += times_data(plan, rows, program) + parts_data(plan, rows, program) + balance_data(plan, rows, program);
  }
  text += fmt::format("set terminal {} size {},{} {}\nset output '{}'\n", terminal, kWidth,
                      kPanelHeight * plan.programs.size(), terminal == "svg" ? "background 'white'" : "", file);
  text +=
      "set style data histograms\nset style fill solid 0.9\nset boxwidth 0.9\nset yrange [0:*]\nset grid ytics\n"
      "set key outside top center horizontal noenhanced\n";
  text += fmt::format("set multiplot layout {},3\n", plan.programs.size());
  for (const std::string& program : plan.programs) text += panels(plan, program);
  return text + "unset multiplot\n";
}

}  // namespace weir::bench
