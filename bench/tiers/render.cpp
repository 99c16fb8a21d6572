// SPDX-License-Identifier: Apache-2.0

#include "bench/tiers/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/common/units.hpp"
#include "base/joined.hpp"
#include "bench/report/bars.hpp"

namespace weir::bench {
namespace {

using apps::gib;
using apps::mib;

double gb_per_s(double bytes_per_second) { return bytes_per_second / 1e9; }

std::vector<const TiersRow*> rows_of(const TiersReport& report, const Setup& setup) {
  std::vector<const TiersRow*> rows;
  for (const TiersRow& row : report.rows) {
    if (row.setup == &setup) rows.push_back(&row);
  }
  return rows;
}

std::string setup_line(const Setup& setup) {
  return fmt::format("{} {:.2g}x: {}, {:.2f} GiB over a fast tier of {:.0f} MiB; {}\n", setup.app->name(), setup.ratio,
                     setup.app->size(), gib(setup.app->total_bytes()), mib(setup.settings.budget),
                     setup.app->describe_order(setup.settings));
}

std::string line_of(const TiersRow& row, bool emulated) {
  const std::string head = fmt::format("  {:<18}", row.contender->label());
  if (!row.has_value()) return head + fmt::format("{:>8}\n", "failed");
  const auto [least, most] = std::minmax_element(row.runs.begin(), row.runs.end(),
                                                 [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  const std::string speedup = row.speedup_over_naive ? fmt::format("{:.2f}x", *row.speedup_over_naive) : "-";
  const std::string of_resident =
      row.resident_seconds > 0 ? fmt::format("{:.2f}x", row.seconds() / row.resident_seconds) : "-";
  const std::string of_bound =
      row.bound_seconds > 0 ? fmt::format("{:.0f}%", 100 * row.bound_seconds / row.seconds()) : "-";
  // Peers do not tell what they found where.
  const std::string hits = row.contender->weir() ? fmt::format("{:.1f}%", 100 * row.hit_rate()) : "-";
  const std::string waited = row.contender->weir() ? fmt::format("{:.2f}", row.wait_seconds()) : "-";
  return head + fmt::format("{:>8.3f} {:>7.3f}..{:<7.3f} {:>7} {:>9} {:>7} {:>8.2f} {:>7} {:>7} {:>7.0f}{}\n",
                            row.seconds(), least->seconds, most->seconds, speedup, of_resident, of_bound,
                            gib(row.bytes_moved()), hits, waited, mib(row.peak_rss_bytes()),
                            !emulated && row.peak_rss_bytes() > row.allowed_bytes() ? " !" : "");
}

std::string table_of(const TiersReport& report, const Setup& setup, bool emulated) {
  const auto rows = rows_of(report, setup);
  std::string text = setup_line(setup);
  if (rows.empty()) return text;
  const TiersRow& any = *rows.front();
  text += fmt::format("all in memory {:.3f} s; at least {:.2f} GiB read and {:.2f} GiB written back; bound {:.3f} s\n",
                      any.resident_seconds, gib(any.least.fetched), gib(any.least.written_back), any.bound_seconds);
  text += fmt::format("  {:<18}{:>8} {:>7}  {:<7} {:>7} {:>9} {:>7} {:>8} {:>7} {:>7} {:>7}\n", "", "s", "min", "max",
                      "naive", "resident", "bound", "GiB", "hits", "wait s", "peak MiB");
  for (const TiersRow* row : rows) text += line_of(*row, emulated);
  return text + "\n";
}

Bars speedups_of(const TiersPlan& plan, const TiersReport& report, const std::string& app) {
  std::vector<std::string> labels;
  for (const Contender& contender : plan.contenders) labels.push_back(contender.label());
  Bars bars(labels);
  for (const TiersRow& row : report.rows) {
    if (row.setup->app->name() != app || !row.speedup_over_naive) continue;
    const auto column = std::find(labels.begin(), labels.end(), row.contender->label()) - labels.begin();
    bars.add(fmt::format("{:g}x", row.setup->ratio), static_cast<std::size_t>(column), *row.speedup_over_naive);
  }
  return bars;
}

std::vector<std::string> apps_of(const TiersPlan& plan) {
  std::vector<std::string> names;
  for (const Setup& setup : plan.setups) {
    if (std::find(names.begin(), names.end(), setup.app->name()) == names.end()) names.push_back(setup.app->name());
  }
  return names;
}

}  // namespace

std::string tiers_plan_text(const TiersPlan& plan, const TiersAmount& amount) {
  std::string text = fmt::format("slow tier: {}\n", apps::to_string(plan.slow));
  for (const Setup& setup : plan.setups) text += setup_line(setup);
  std::vector<std::string> labels;
  for (const Contender& contender : plan.contenders) labels.push_back(contender.label());
  text += fmt::format("contenders: {}\n", base::joined(labels, "; "));
  for (const std::string& peer : plan.left_out) text += fmt::format("left out: {}\n", peer);
  text += fmt::format("{} runs in {} rounds, each in a process of its own: about {:.0f} minutes\n",
                      run_count(plan, amount), amount.rounds, std::ceil(guessed_seconds(plan, amount) / 60));
  return text;
}

std::string tiers_table(const TiersPlan& plan, const TiersReport& report) {
  std::string text = fmt::format("slow tier ({}): {:.2f} GB/s read, {:.2f} written, {:.2f} both at once\n\n",
                                 apps::to_string(plan.slow), gb_per_s(report.slow.read), gb_per_s(report.slow.write),
                                 gb_per_s(report.slow.mixed));
  for (const Setup& setup : plan.setups) text += table_of(report, setup, plan.slow.emulated());
  text +=
      "Medians. naive: how many times as fast as off; resident: time in units of all in memory; bound: share of the\n"
      "bound reached; GiB: moved between the tiers (peers: as the kernel counts); !: more than 2 % + 64 MiB over the\n"
      "fast tier's budget.\n";
  for (const TiersRow& row : report.rows) {
    if (!row.error.empty()) {
      text += fmt::format("failed: {} {:g}x, {}: {}\n", row.setup->app->name(), row.setup->ratio,
                          row.contender->label(), row.error);
    }
  }
  return text;
}

base::Drawing tiers_plot(const TiersPlan& plan, const TiersReport& report) {
  std::string panels;
  int count = 0;
  for (const std::string& app : apps_of(plan)) {
    const Bars bars = speedups_of(plan, report, app);
    if (bars.empty()) continue;
    ++count;
    panels +=
        fmt::format("set title '{}{}'\n{}", app, plan.slow.emulated() ? " (emulated slow tier)" : "", bars.script(app));
  }
  if (count == 0) return {};
  return {560 * count, 480,
          fmt::format("set style data histograms\nset style histogram clustered gap 1\nset style fill solid 0.9\n"
                      "set yrange [0:*]\nset grid ytics\nset key outside bottom center horizontal noenhanced\n"
                      "set xlabel 'total set over the fast tier'\nset ylabel 'speedup over naive placement'\n"
                      "set multiplot layout 1,{}\n{}unset multiplot\n",
                      count, panels)};
}

}  // namespace weir::bench
