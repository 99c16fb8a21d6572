// SPDX-License-Identifier: Apache-2.0

#include "seismic_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "apps/common/units.hpp"
#include "json.hpp"

namespace weir::tool {
namespace {

namespace seismic = apps::seismic;
using apps::mib;
using seismic::Index;

std::optional<double> seconds_of(const std::vector<seismic::Measurement>& all, bool (*wanted)(const seismic::Variant&),
                                 Index iterations) {
  std::optional<double> best;
  for (const auto& m : all) {
    if (!wanted(*m.variant)) continue;
    const double seconds = m.seconds_per_iteration(iterations);
    best = best ? std::min(*best, seconds) : seconds;
  }
  return best;
}

// The numbers of one variant, as the table and the JSON show them.
struct Row {
  const seismic::Measurement* measured;
  double seconds, least, most;  // per iteration
  double gb_per_s;
  std::optional<double> to_serial, to_parallel_for;  // how many times as fast
};

std::vector<Row> rows_of(const SeismicReport& report) {
  const auto& all = report.measured;
  const Index iterations = report.plan.iterations;
  const auto serial = seconds_of(
      all, [](const auto& v) { return v.name == "serial"; }, iterations);
  const auto loops = seconds_of(
      all, [](const auto& v) { return v.parallel_for; }, iterations);
  const double bytes = seismic::kPlainBytesPerCell * static_cast<double>(report.size.rows * report.size.cols);
  std::vector<Row> rows;
  for (const auto& m : all) {
    const double seconds = m.seconds_per_iteration(iterations);
    const auto [least, most] = std::minmax_element(m.seconds.begin(), m.seconds.end());
    const auto per = [&](double total) { return total / static_cast<double>(iterations); };
    const auto ratio = [&](std::optional<double> to) { return to ? std::optional(*to / seconds) : std::nullopt; };
    rows.push_back({&m, seconds, per(*least), per(*most), bytes / seconds / 1e9, ratio(serial), ratio(loops)});
  }
  return rows;
}

int threads_of(const SeismicReport& report, const seismic::Variant& variant) {
  return variant.name == "serial" ? 1 : report.plan.settings.threads;
}

// Of variants that use no blocks: null, and what the process held.
void add_tiers(Json& object, const seismic::Measurement& m) {
  const seismic::TierUse& use = *m.tiers;
  const auto of_blocks = [&](auto value) { return m.variant->blocks ? Json(value) : Json(); };
  object["bytes_moved"] = of_blocks(use.bytes_moved);
  object["hit_rate"] = of_blocks(use.hit_rate);
  object["wait_seconds"] = of_blocks(use.wait_seconds);
  object["total_bytes"] = use.total_bytes;
  object["budget_bytes"] = of_blocks(use.budget_bytes);
  object["peak_rss_bytes"] = use.peak_rss_bytes;
  object["emulated"] = use.emulated;
}

Json object_of(const SeismicReport& report, const Row& row) {
  const auto optional = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  const seismic::Measurement& m = *row.measured;
  Json object = {{"variant", m.variant->name},
                 {"size", seismic::to_string(report.size)},
                 {"threads", threads_of(report, *m.variant)},
                 {"seconds_per_iteration", row.seconds},
                 {"gb_per_s", row.gb_per_s},
                 {"triad_gb_per_s", report.triad_gb_per_s},
                 {"agrees", !m.difference.has_value()},
                 {"difference", m.difference ? Json(*m.difference) : Json()},
                 {"iterations", report.plan.iterations},
                 {"repetitions", m.seconds.size()},
                 {"seconds_per_iteration_min", row.least},
                 {"seconds_per_iteration_max", row.most},
                 {"speedup_over_serial", optional(row.to_serial)},
                 {"speedup_over_parallel_for", optional(row.to_parallel_for)},
                 {"instructions", report.plan.settings.kernels->name}};
  if (m.tiers) add_tiers(object, m);
  return object;
}

void print_table(const SeismicReport& report, const std::vector<Row>& rows, Global& global) {
  const auto times = [](const std::optional<double>& value) { return value ? fmt::format("{:.2f}x", *value) : "-"; };
  global.print("triad    {:.1f} GB/s (STREAM, same threads)\n\n", report.triad_gb_per_s);
  global.print("{:<11} {:>12} {:>8} {:>8} {:>9} {:>10} {:>12}  {}\n", "variant", "s/iteration", "spread", "GB/s",
               "of triad", "vs serial", "vs loops", "result");
  for (const Row& row : rows) {
    global.print("{:<11} {:>12.6f} {:>7.0f}% {:>8.1f} {:>8.0f}% {:>10} {:>12}  {}\n", row.measured->variant->name,
                 row.seconds, 100 * (row.most - row.least) / row.seconds, row.gb_per_s,
                 100 * row.gb_per_s / report.triad_gb_per_s, times(row.to_serial), times(row.to_parallel_for),
                 row.measured->difference ? "DIFFERS" : "agrees");
  }
  global.print(
      "\nMedians. GB/s: {:g} bytes a cell and iteration, what the plain loops move, by time; more than triad means\n"
      "reuse of caches. vs loops: against the better of openmp and tbb.\n",
      seismic::kPlainBytesPerCell);
}

// Of runs with tiers.
void print_tiers(const std::vector<Row>& rows, Global& global) {
  global.print("\n{:<11} {:>12} {:>8} {:>9} {:>9} {:>7} {:>8} {:>9} {:>9}  {}\n", "variant", "s/iteration", "spread",
               "MiB all", "MiB moved", "hits", "wait s", "fast MiB", "peak MiB", "result");
  for (const Row& row : rows) {
    const seismic::Measurement& m = *row.measured;
    const auto of_blocks = [&](std::string text) { return m.variant->blocks ? text : "-"; };
    global.print("{:<11} {:>12.6f} {:>7.0f}% {:>9.0f} {:>9} {:>7} {:>8} {:>9} {:>9.0f}  {}{}\n", m.variant->name,
                 row.seconds, 100 * (row.most - row.least) / row.seconds, mib(m.tiers->total_bytes),
                 of_blocks(fmt::format("{:.0f}", mib(m.tiers->bytes_moved))),
                 of_blocks(fmt::format("{:.1f}%", 100 * m.tiers->hit_rate)),
                 of_blocks(fmt::format("{:.2f}", m.tiers->wait_seconds)),
                 of_blocks(fmt::format("{:.0f}", mib(m.tiers->budget_bytes))), mib(m.tiers->peak_rss_bytes),
                 m.difference ? "DIFFERS" : "agrees", m.tiers->emulated ? ", slow tier emulated" : "");
  }
  global.print(
      "\nMedians; the peak is the highest. Each run in a process of its own. moved: into the fast tier and out of "
      "it.\n");
}

// Says whether all agree; the exit status.
int judge(const std::vector<seismic::Measurement>& all, Global& global) {
  const auto wrong = std::find_if(all.begin(), all.end(), [](const auto& m) { return m.difference.has_value(); });
  if (wrong != all.end()) {
    return fail(fmt::format("{} does not agree with serial: {}", wrong->variant->name, *wrong->difference));
  }
  global.print("All agree bit for bit with serial: V, S and T, every repetition.\n");
  return kDone;
}

}  // namespace

int SeismicReport::show(Global& global) const {
  const auto rows = rows_of(*this);
  for (const Row& row : rows) global.add(object_of(*this, row));
  if (!measured.empty() && measured.front().tiers) {
    print_tiers(rows, global);
  } else {
    print_table(*this, rows, global);
  }
  return judge(measured, global);
}

}  // namespace weir::tool
