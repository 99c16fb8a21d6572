// SPDX-License-Identifier: Apache-2.0

#include "show_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "json.hpp"
#include "report/units.hpp"

namespace weir::tool::job {

namespace {

using report::measured_size;
using report::time_text;

constexpr std::size_t kMostRows = 32;    // PEs that have a row each
constexpr std::size_t kMostMatrix = 12;  // PEs whose matrix is shown as one
constexpr std::size_t kMost = 10;        // entries of a list

std::string percent(double part, double of) { return of > 0 ? fmt::format("{:.1f}%", 100 * part / of) : "-"; }

void print_row(const std::string& name, const PeTimes& times, Global& global) {
  std::string line = fmt::format("{:<8} {:>9}", name, percent(times.computing_ns(), times.life_ns));
  for (const double part : times.in) line += fmt::format(" {:>11}", percent(part, times.life_ns));
  global.print("{}\n", line);
}

void print_times(const JobReport& report, Global& global) {
  std::string head = fmt::format("{:<8} {:>9}", "time", "computing");
  for (const char* const part : kParts) head += fmt::format(" {:>11}", part);
  global.print_heading("\n{}\n", head);
  PeTimes all;
  for (const PeTimes& times : report.times) {
    if (report.times.size() <= kMostRows) print_row(fmt::format("PE {}", times.pe), times, global);
    all.life_ns += times.life_ns;
    for (std::size_t i = 0; i < kParts.size(); ++i) all.in[i] += times.in[i];
  }
  if (report.times.size() > 1) print_row("all", all, global);
}

void print_matrix(const JobReport& report, Global& global) {
  global.print_heading(
      "\nbytes of puts, gets and atomics: by the PE of the row, of the memory of the PE of the column\n");
  std::string head = fmt::format("{:<8}", "");
  for (int pe = 0; pe < report.pes; ++pe) head += fmt::format(" {:>10}", fmt::format("PE {}", pe));
  global.print("{}\n", head);
  for (const PeTimes& times : report.times) {
    std::string line = fmt::format("{:<8}", fmt::format("PE {}", times.pe));
    for (int to = 0; to < report.pes; ++to) {
      const auto found = report.traffic.find({times.pe, to});
      line += fmt::format(" {:>10}", found == report.traffic.end() ? "-" : measured_size(found->second.bytes()));
    }
    global.print("{}\n", line);
  }
}

// The largest entries first, at most kMost.
template <class Value, class Weight>
std::vector<std::pair<std::pair<int, int>, Value>> largest(const std::map<std::pair<int, int>, Value>& all,
                                                           Weight weight) {
  std::vector<std::pair<std::pair<int, int>, Value>> sorted(all.begin(), all.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto& a, const auto& b) { return weight(a.second) > weight(b.second); });
  if (sorted.size() > kMost) sorted.resize(kMost);
  return sorted;
}

void print_traffic(const JobReport& report, Global& global) {
  if (report.traffic.empty()) return;
  const bool as_matrix = static_cast<std::size_t>(report.pes) <= kMostMatrix && 9 + 11 * report.pes <= global.columns();
  if (as_matrix) print_matrix(report, global);
  global.print_heading("\n{:<16} {:>9} {:>10} {:>9} {:>10} {:>9} {:>10}\n", "most traffic", "puts", "bytes", "gets",
                       "bytes", "atomics", "bytes");
  for (const auto& [pair, t] : largest(report.traffic, [](const Traffic& traffic) { return traffic.bytes(); })) {
    global.print("{:<16} {:>9} {:>10} {:>9} {:>10} {:>9} {:>10}\n", fmt::format("PE {} to {}", pair.first, pair.second),
                 t.puts, measured_size(t.put_bytes), t.gets, measured_size(t.get_bytes), t.atomics,
                 measured_size(t.atomic_bytes));
  }
}

void print_meetings(const JobReport& report, Global& global) {
  if (report.meetings.empty()) return;
  global.print_heading("\n{:<16} {:>9} {:>10} {:>10}\n", "collectives", "calls", "bytes", "waited");
  for (const auto& [what, m] : report.meetings)
    global.print("{:<16} {:>9} {:>10} {:>10}\n", name_of(what), m.number, measured_size(m.bytes),
                 time_text(m.waited_ns));
  global.print("waited: for the PE that came last, all others together\n\n");
  std::vector<PeTimes> sorted = report.times;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const PeTimes& a, const PeTimes& b) { return a.others_waited_ns > b.others_waited_ns; });
  for (std::size_t i = 0; i < std::min(kMost, sorted.size()); ++i) {
    if (sorted[i].came_last == 0) continue;
    global.print("PE {} came last to {} of {} collectives, others waited {} for it\n", sorted[i].pe,
                 sorted[i].came_last, sorted[i].meetings, time_text(sorted[i].others_waited_ns));
  }
}

void print_waits(const JobReport& report, Global& global) {
  if (report.waits_until.empty()) return;
  global.print_heading("\n{:<16} {:<16} {:>9} {:>10}\n", "wait_until", "ended by", "times", "waited");
  for (const auto& [pair, waits] : largest(report.waits_until, [](const Waits& w) { return w.ns; })) {
    global.print("{:<16} {:<16} {:>9} {:>10}\n", fmt::format("PE {}", pair.first),
                 pair.second < 0 ? "not known" : fmt::format("PE {}", pair.second), waits.times, time_text(waits.ns));
  }
}

Json waits_json(const std::map<std::pair<int, int>, Waits>& all, const char* by) {
  Json list = Json::array();
  for (const auto& [pair, waits] : all) {
    list.push_back({{"pe", pair.first},
                    {by, pair.second < 0 ? Json(nullptr) : Json(pair.second)},
                    {"times", waits.times},
                    {"ns", waits.ns}});
  }
  return list;
}

Json times_json(const PeTimes& times) {
  Json in = Json::object(), calls = Json::object();
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    in[kParts[i]] = times.in[i];
    calls[kParts[i]] = times.calls[i];
  }
  return {{"pe", times.pe},
          {"host", times.host},
          {"threads", times.threads},
          {"life_ns", times.life_ns},
          {"computing_ns", times.computing_ns()},
          {"in_ns", std::move(in)},
          {"calls", std::move(calls)},
          {"collectives", times.meetings},
          {"came_last", times.came_last},
          {"others_waited_ns", times.others_waited_ns}};
}

}  // namespace

void print(const JobFiles& job, const JobReport& report, Global& global) {
  global.print("{}: {} PE{} on {}, {}\n", job.name, report.pes, report.pes == 1 ? "" : "s", job.hosts_text(),
               time_text(report.wall_ns));
  for (const std::string& remark : job.remarks) global.print("{}\n", remark);
  print_times(report, global);
  print_traffic(report, global);
  print_meetings(report, global);
  print_waits(report, global);
}

Json to_json(const JobFiles& job, const JobReport& report) {
  Json pes = Json::array(), traffic = Json::array(), meetings = Json::object();
  for (const PeTimes& times : report.times) pes.push_back(times_json(times));
  for (const auto& [pair, t] : report.traffic) {
    traffic.push_back({{"from", pair.first},
                       {"to", pair.second},
                       {"puts", t.puts},
                       {"put_bytes", t.put_bytes},
                       {"gets", t.gets},
                       {"get_bytes", t.get_bytes},
                       {"atomics", t.atomics},
                       {"atomic_bytes", t.atomic_bytes},
                       {"bytes", t.bytes()}});
  }
  for (const auto& [what, m] : report.meetings)
    meetings[name_of(what)] = {{"calls", m.number}, {"bytes", m.bytes}, {"waited_ns", m.waited_ns}};
  return {{"pes", report.pes},
          {"missing", job.missing()},
          {"remarks", job.remarks},
          {"wall_ns", report.wall_ns},
          {"times", std::move(pes)},
          {"traffic", std::move(traffic)},
          {"collectives", std::move(meetings)},
          {"waits_for_last", waits_json(report.waits_for_last, "for")},
          {"waits_until", waits_json(report.waits_until, "ended_by")}};
}

}  // namespace weir::tool::job
