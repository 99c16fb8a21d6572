// SPDX-License-Identifier: Apache-2.0

#include "show_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/one_line.hpp"
#include "json.hpp"
#include "report/render.hpp"
#include "report/units.hpp"
#include "text.hpp"

namespace weir::tool::job {

namespace {

using base::one_line;  // names are a program's: any bytes
using report::measured_size;
using report::time_text;
using report::TimeParts;

constexpr std::size_t kMostRows = 32;    // ranks, and workers, that have a row each
constexpr std::size_t kMostMatrix = 12;  // ranks whose matrix is shown
constexpr std::size_t kMost = 10;        // entries of a list

std::string percent(double part, double of) { return of > 0 ? fmt::format("{:.1f}%", 100 * part / of) : "-"; }

// Of the time of its workers.
void print_row(const std::string& name, const TimeParts& parts, double path_ns, double path, Global& global) {
  const double all = parts.sum(), data = parts.moving + parts.waiting_for_data + parts.waiting_for_others;
  global.print("{:<8} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}\n", name, percent(parts.running, all),
               percent(parts.program, all), percent(parts.analysing + parts.scheduling, all),
               percent(parts.waiting_for_ranks, all), percent(data, all), percent(parts.waiting_for_work, all),
               percent(parts.idle, all), parts.tasks, percent(path_ns, path));
}

void print_times(const RankReport& report, Global& global) {
  global.print_heading("{:<8} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}\n", "time", "running", "program",
                       "runtime", "ranks", "data", "work", "idle", "tasks", "path");
  const auto path = static_cast<double>(report.all.path.length);
  double path_sum = 0;
  for (const RankTimes& rank : report.times) {
    path_sum += rank.path_ns;
    if (report.times.size() <= kMostRows)
      print_row(fmt::format("rank {}", rank.rank), rank.parts, rank.path_ns, path, global);
  }
  TimeParts all = report.all.sum;
  all.tasks = report.all.tasks;
  if (report.times.size() > 1) print_row("all", all, path_sum, path, global);
  global.print(
      "ranks: nothing to run while a task waited for what another rank sends\n"
      "path:  share of the critical path\n");
}

void print_traffic(const RankReport& report, Global& global) {
  if (report.traffic.empty()) {
    global.print("\nno rank has sent anything to another one by Weir\n");
    return;
  }
  const auto ranks = static_cast<std::size_t>(report.ranks);
  if (ranks <= kMostMatrix && 9 + 11 * report.ranks <= global.columns()) {
    global.print_heading("\nbytes from the rank of the row to the rank of the column\n");
    std::string head = fmt::format("{:<8}", "");
    for (int to = 0; to < report.ranks; ++to) head += fmt::format(" {:>10}", fmt::format("rank {}", to));
    global.print("{}\n", head);
    for (int from = 0; from < report.ranks; ++from) {
      std::string line = fmt::format("{:<8}", fmt::format("rank {}", from));
      for (int to = 0; to < report.ranks; ++to) {
        const auto found = report.traffic.find({from, to});
        line += fmt::format(" {:>10}", found == report.traffic.end() ? "-" : measured_size(found->second.bytes));
      }
      global.print("{}\n", line);
    }
  }
  global.print_heading("\n{:<20} {:>9} {:>10}\n", "most traffic", "messages", "bytes");
  std::vector<std::pair<std::pair<int, int>, RankTraffic>> sorted(report.traffic.begin(), report.traffic.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  for (std::size_t i = 0; i < std::min(kMost, sorted.size()); ++i) {
    const auto& [pair, traffic] = sorted[i];
    global.print("{:<20} {:>9} {:>10}\n", fmt::format("rank {} to {}", pair.first, pair.second), traffic.messages,
                 measured_size(traffic.bytes));
  }
}

// Of the columns of the table of waits, as much as its rows need and the terminal has.
struct WaitWidths {
  WaitWidths(std::span<const RankWait> rows, std::size_t columns) {
    std::size_t names = 0, longest = 0;
    for (const RankWait& row : rows) {
      names = std::max({names, one_line(row.reader).size(), one_line(row.maker).size()});
      data = std::max(data, one_line(row.what).size());
      longest = std::max(longest, longest_of(row).size());
    }
    const std::size_t others = kOthers + data, left = columns - std::min(columns, others);
    is_longest_beside = 2 * std::min(names, kUsualName) + 2 + longest <= left;
    name = std::clamp((left - (is_longest_beside ? 2 + longest : 0)) / 2, kLeastName, std::max(names, kLeastName));
  }
  static std::string longest_of(const RankWait& row) {
    return fmt::format("{} {}", time_text(row.longest_ns), one_line(row.longest));
  }

  static constexpr std::size_t kOthers = 34;  // what has no name, and the spaces
  static constexpr std::size_t kUsualName = 18, kLeastName = 8;

  std::size_t name = 0, data = 4;
  bool is_longest_beside = false;  // of its row; else under it
};

void print_waits(const RankReport& report, Global& global) {
  if (report.top.empty()) return;
  const auto rows = std::span(report.top).first(std::min(kMost, report.top.size()));
  const WaitWidths widths(rows, static_cast<std::size_t>(global.columns()));
  global.print_heading("\n{:<7} {:<{}} {:<7} {:<{}} {:<{}} {:>5} {:>9}{}\n", "waited", "tasks", widths.name, "for",
                       "data", widths.data, "made by", widths.name, "times", "time",
                       widths.is_longest_beside ? "  longest" : "");
  for (const RankWait& row : rows) {
    const std::string longest = WaitWidths::longest_of(row);
    global.print("{:<7} {:<{}} {:<7} {:<{}} {:<{}} {:>5} {:>9}{}\n", fmt::format("rank {}", row.rank),
                 shortened(one_line(row.reader), widths.name), widths.name, fmt::format("rank {}", row.whose),
                 one_line(row.what), widths.data, shortened(one_line(row.maker), widths.name), widths.name, row.times,
                 time_text(row.ns), widths.is_longest_beside ? "  " + longest : "");
    if (!widths.is_longest_beside && (row.times > 1 || row.longest != row.what))
      global.print("{:<7} longest {}\n", "", longest);
  }
}

Json times_json(const RankTimes& rank) {
  const TimeParts& p = rank.parts;
  return {{"rank", rank.rank},
          {"host", rank.host},
          {"workers", rank.workers},
          {"tasks", p.tasks},
          {"running_ns", p.running},
          {"program_ns", p.program},
          {"analysing_ns", p.analysing},
          {"scheduling_ns", p.scheduling},
          {"moving_ns", p.moving},
          {"waiting_for_ranks_ns", p.waiting_for_ranks},
          {"waiting_for_data_ns", p.waiting_for_data},
          {"waiting_for_others_ns", p.waiting_for_others},
          {"waiting_for_work_ns", p.waiting_for_work},
          {"idle_ns", p.idle},
          {"path_ns", rank.path_ns}};
}

}  // namespace

void print(const JobFiles& job, const RankTrace& trace, const RankReport& report, Global& global) {
  global.print("{}: {} ranks on {}, {} workers; {} tasks in {}\n", job.name, report.ranks, job.hosts_text(),
               trace.trace.workers, report.all.tasks, time_text(report.all.wall_ns));
  for (const std::string& remark : job.remarks) global.print("{}\n", remark);
  if (report.before_sent > 0)
    global.print("{} messages came before they were sent, by the clocks of their hosts: these differ\n",
                 report.before_sent);
  if (report.one_ended > 0)
    global.print("of {} messages one end is missing: its rank had no room to record it, or had ended\n",
                 report.one_ended);
  global.print("\n");
  print_times(report, global);
  print_traffic(report, global);
  print_waits(report, global);
  if (report.path_crossings > 0)
    global.print("\nthe critical path goes {} times from one rank to another\n", report.path_crossings);
  global.print("\n");
  report::print_parts(trace.trace, report.all, report.all.workers.size() <= kMostRows, global);
}

Json ranks_json(const JobFiles& job, const RankReport& report) {
  Json times = Json::array(), traffic = Json::array(), waits = Json::array(), top = Json::array();
  for (const RankTimes& rank : report.times) times.push_back(times_json(rank));
  for (const auto& [pair, t] : report.traffic)
    traffic.push_back({{"from", pair.first}, {"to", pair.second}, {"messages", t.messages}, {"bytes", t.bytes}});
  for (const auto& [pair, wait] : report.waits)
    waits.push_back({{"rank", pair.first}, {"for", pair.second}, {"times", wait.first}, {"ns", wait.second}});
  for (const RankWait& wait : report.top) {
    top.push_back({{"rank", wait.rank},
                   {"for", wait.whose},
                   {"data", wait.what},
                   {"tasks", wait.reader},
                   {"made_by", wait.maker},
                   {"times", wait.times},
                   {"ns", wait.ns},
                   {"longest", wait.longest},
                   {"longest_ns", wait.longest_ns}});
  }
  return {{"ranks", report.ranks},         {"missing", job.missing()},
          {"remarks", job.remarks},        {"times", std::move(times)},
          {"traffic", std::move(traffic)}, {"waits", std::move(waits)},
          {"top_waits", std::move(top)},   {"before_sent", report.before_sent},
          {"one_ended", report.one_ended}, {"path_crossings", report.path_crossings}};
}

}  // namespace weir::tool::job
