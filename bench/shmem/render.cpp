// SPDX-License-Identifier: Apache-2.0

#include "bench/shmem/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/joined.hpp"
#include "bench/report/bars.hpp"

namespace weir::bench {
namespace {

constexpr std::size_t kKiB = 1024;

std::string figure(double value) {
  if (value < 1) return fmt::format("{:.3f}", value);
  return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0);
}

std::string size_text(std::size_t bytes) {
  if (bytes < kKiB) return fmt::format("{} B", bytes);
  if (bytes < kKiB * kKiB) return fmt::format("{} KiB", bytes / kKiB);
  return fmt::format("{} MiB", bytes / kKiB / kKiB);
}

// Those that have a value in some row that counts.
template <class Counts>
std::vector<std::size_t> shown_libraries(const ShmemPlan& plan, const ShmemReport& report, Counts counts) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < plan.libraries.size(); ++i)
    if (std::any_of(report.rows.begin(), report.rows.end(),
                    [&](const ShmemRow& row) { return counts(row) && row.median(i); }))
      shown.push_back(i);
  return shown;
}

std::string table_of(const ShmemPlan& plan, const ShmemReport& report, int ranks) {
  const auto shown = shown_libraries(plan, report, [&](const ShmemRow& row) { return row.ranks == ranks; });
  if (shown.empty()) return "";
  std::string text = fmt::format("{:<22}{:>5}", fmt::format("{} PEs", ranks), "");
  for (const std::size_t i : shown) text += fmt::format(" {:>12}", plan.libraries[i].name);
  text += "  over best\n";
  for (const ShmemRow& row : report.rows) {
    if (row.ranks != ranks) continue;
    std::string line = fmt::format("  {:<20}{:>5}", title_of(row), row.unit);
    for (const std::size_t i : shown) {
      const auto value = row.median(i);
      line += fmt::format(" {:>12}", value ? figure(*value) : "-");
    }
    line += "  " + target_text(plan, report, row);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text + "\n";
}

std::string trouble_text(const ShmemPlan& plan, const ShmemTrouble& trouble) {
  const std::string& name = plan.libraries[trouble.library].name;
  if (trouble.ranks == 0) return fmt::format("not measured: {}: {}\n", name, trouble.text);
  return fmt::format("{}: {} with {} PEs: {}\n", trouble.after_all ? "could not end" : "failed", name, trouble.ranks,
                     trouble.text);
}

// Columns of the libraries; "NaN" where there is no value.
std::string values_of(const ShmemRow& row, const std::vector<std::size_t>& shown) {
  std::string text;
  for (const std::size_t i : shown) {
    const auto value = row.median(i);
    text += value ? fmt::format(" {}", *value) : " NaN";
  }
  return text + "\n";
}

std::string header_of(const ShmemPlan& plan, const std::vector<std::size_t>& shown) {
  std::string text = "what";
  for (const std::size_t i : shown) text += fmt::format(" \"{}\"", plan.libraries[i].name);
  return text + "\n";
}

// Times with so many ranks.
Bars times_of(const ShmemPlan& plan, const ShmemReport& report, int ranks) {
  std::vector<std::string> names;
  for (const Library& library : plan.libraries) names.push_back(library.name);
  Bars bars(names);
  for (const ShmemRow& row : report.rows) {
    if (row.ranks != ranks || row.unit != "us") continue;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (const auto value = row.median(i)) bars.add(title_of(row), i, *value);
  }
  return bars;
}

std::string times_panel(const Bars& bars, int ranks) {
  return fmt::format(
             "set title '{} PEs'\nset ylabel 'us'\nset xtics rotate by -30 noenhanced\nset style data histograms\n",
             ranks) +
         bars.log_range() + bars.script(fmt::format("times{}", ranks));
}

// A panel of lines: a bandwidth over the size. Nothing when no library has one.
std::string bandwidth_panel(const ShmemPlan& plan, const ShmemReport& report, const std::string& bench) {
  const auto counts = [&](const ShmemRow& row) { return row.ranks == 2 && row.bench.name == bench; };
  const auto shown = shown_libraries(plan, report, counts);
  if (shown.empty()) return "";
  std::string text = fmt::format("${} << EOD\n{}", bench, header_of(plan, shown));
  for (const ShmemRow& row : report.rows)
    if (counts(row)) text += fmt::format("{}{}", row.bytes, values_of(row, shown));
  return text + fmt::format(
                    "EOD\nset title '{}'\nset ylabel 'GB/s'\nset xlabel 'bytes'\nset logscale x 2\nset xtics "
                    "norotate\nset format x '%.0b %BB'\nset yrange [*:*]\n"
                    "plot for [i=2:{}] ${} using 1:i with linespoints title columnheader(i)\nunset logscale x\nunset "
                    "xlabel\nset format x\n",
                    bench.substr(0, 3), shown.size() + 1, bench);
}

// "0.26 of mpich-rma near (7, 5), 0.42 of openmpi-rma far (2, 4)": in brackets how many processes of each.
std::string over_best_text(const ShmemPlan& plan, const Reached& is) {
  if (is.places.empty()) return fmt::format("{:.2f} of {}", is.value, plan.libraries[is.best].name);
  std::vector<std::string> parts;
  for (const AtPlace& at : is.places) {
    const std::string& name = plan.libraries[at.best].name;
    parts.push_back(at.place == Place::only ? fmt::format("{:.2f} of {}", at.value, name)
                                            : fmt::format("{:.2f} of {} {} ({}, {})", at.value, name,
                                                          to_string(at.place), at.own, at.others));
  }
  return base::joined(parts, ", ");
}

}  // namespace

std::string title_of(const ShmemRow& row) {
  const bool sized = row.unit == "GB/s";
  return sized ? fmt::format("{} {}", row.bench.title, size_text(row.bytes)) : row.bench.title;
}

std::string shmem_plan_text(const ShmemPlan& plan) {
  std::string text = "libraries:\n";
  for (const Library& library : plan.libraries)
    text += fmt::format("  {:<14}{}\n", library.name,
                        library.missing.empty()
                            ? fmt::format("{} -n N {}", base::joined(library.launcher, " "), library.program)
                            : "not measured: " + library.missing);
  return text + fmt::format("{} processes of N PEs in {} rounds, in which the libraries take turns\n", plan.run_count(),
                            plan.amount.rounds);
}

std::string target_text(const ShmemPlan& plan, const ShmemReport& report, const ShmemRow& row) {
  if (plan.libraries.empty() || plan.libraries.front().name != "weir") return "";
  const auto is = reached(report, row);
  std::string text;
  const bool of_memcpy = row.bench.compared == Compared::with_memcpy;
  if (is && of_memcpy) text = fmt::format("{:.2f} of memcpy", is->value);
  if (is && !of_memcpy) text = over_best_text(plan, *is);
  const bool targeted = is && row.bench.compared != Compared::with_nothing && row.ranks == 2 &&
                        (row.bench.target_bytes == 0 || row.bench.target_bytes == row.bytes);
  if (targeted)
    text += fmt::format(" ({} {:.2f}: {})", of_memcpy ? "at least" : "at most", row.bench.target,
                        is->enough ? "reached" : "MISSED");
  if (const auto each = per_rank(report, row, 0))
    text += fmt::format("{}{:.2f}x a PE (at most {:g}: {})", text.empty() ? "" : "; ", *each, kMostPerRank,
                        *each <= kMostPerRank ? "reached" : "MISSED");
  return text;
}

std::string shmem_table(const ShmemPlan& plan, const ShmemReport& report) {
  std::string text;
  for (const int ranks : plan.ranks) text += table_of(plan, report, ranks);
  text +=
      "Medians of all processes. over best: Weir's time over that of the best of the others, below 1 is faster (of "
      "rates\n"
      "and bandwidths the inverse); in brackets the target. a PE: the time for each PE over that with 2 PEs.\n";
  if (const auto border = places_of(report).border())
    text += fmt::format(
        "near, far: processes whose two cores passed a line in less than {:.3f} us, or in more, before and after the\n"
        "measurement, are compared apart; in brackets how many of Weir and of the other library.\n",
        *border);
  for (const ShmemTrouble& trouble : report.troubles) text += trouble_text(plan, trouble);
  return text;
}

base::Drawing shmem_plot(const ShmemPlan& plan, const ShmemReport& report) {
  std::vector<std::string> panels;
  for (const int ranks : plan.ranks)
    if (const Bars bars = times_of(plan, report, ranks); !bars.empty()) panels.push_back(times_panel(bars, ranks));
  for (const char* bench : {"put_bandwidth", "get_bandwidth"})
    if (std::string panel = bandwidth_panel(plan, report, bench); !panel.empty()) panels.push_back(std::move(panel));
  if (panels.empty()) return {};
  const int count = static_cast<int>(panels.size());
  return {1000, 420 * count,
          fmt::format("set style histogram clustered gap 1\nset style fill solid 0.9\nset logscale y\nset grid ytics\n"
                      "set key outside top center horizontal noenhanced\nset rmargin 10\n"
                      "set multiplot layout {},1\n{}unset multiplot\n",
                      count, base::joined(panels, ""))};
}

}  // namespace weir::bench
