// SPDX-License-Identifier: Apache-2.0

#include "render.hpp"

#include <algorithm>
#include <map>

#include "base/one_line.hpp"
#include "json.hpp"
#include "over_time.hpp"
#include "text.hpp"
#include "units.hpp"

namespace weir::tool::report {

namespace {

using base::one_line;  // names are a program's: any bytes

constexpr std::size_t kMost = 10;  // names and blocks that are listed

struct Column {
  const char* title;
  double TimeParts::*part;
  bool rare = false;  // shown when there is some
};
constexpr Column kColumns[] = {{"running", &TimeParts::running},
                               {"program", &TimeParts::program},
                               {"analyse", &TimeParts::analysing},
                               {"sched", &TimeParts::scheduling},
                               {"moving", &TimeParts::moving},
                               {"data", &TimeParts::waiting_for_data},
                               {"held", &TimeParts::waiting_for_others, true},
                               {"ranks", &TimeParts::waiting_for_ranks, true},
                               {"work", &TimeParts::waiting_for_work},
                               {"idle", &TimeParts::idle}};

constexpr double kShown = 0.0005;                         // less of all is 0.0 % of it
constexpr std::size_t kColumnWidth = 8, kTasksWidth = 7;  // of a worker's row, behind its name

std::string percent(double part, double of) { return of > 0 ? fmt::format("{:.1f}%", 100 * part / of) : "-"; }

void print_row(const TimeParts& parts, double of, const std::vector<Column>& columns, std::size_t width,
               Global& global) {
  std::string line = fmt::format("{:<{}}", one_line(parts.worker), width);
  for (const Column& column : columns) line += fmt::format(" {:>7}", percent(parts.*column.part, of));
  global.print("{} {:>6}\n", line, parts.tasks);
}

void print_workers(const Report& report, Global& global) {
  std::vector<Column> columns;
  for (const Column& column : kColumns) {
    if (!column.rare || report.sum.*column.part > 0) columns.push_back(column);
  }
  std::size_t width = 9;
  for (const TimeParts& worker : report.workers) width = std::max(width, one_line(worker.worker).size());
  if (width + kColumnWidth * columns.size() + kTasksWidth > static_cast<std::size_t>(global.columns()))
    std::erase_if(columns, [&](const Column& column) { return report.sum.*column.part < kShown * report.sum.sum(); });
  std::string head = fmt::format("{:<{}}", "worker", width);
  for (const Column& column : columns) head += fmt::format(" {:>7}", column.title);
  global.print_heading("{} {:>6}\n", head, "tasks");
  for (const TimeParts& worker : report.workers) print_row(worker, report.wall_ns, columns, width, global);
  TimeParts all = report.sum;
  all.worker = "all";
  if (report.workers.size() > 1) print_row(all, report.sum.sum(), columns, width, global);
  if (const std::uint64_t others = report.tasks_of_no_worker(); others != 0) {
    global.print("{} more task{} ran on threads of the library that serve other ranks\n", others,
                 others == 1 ? "" : "s");
  }
}

// One line for each thing that changes, as wide as the terminal, at most 120 columns.
void print_course(const Trace& trace, const Report& report, Global& global) {
  constexpr int kName = 20, kTop = 15, kBorders = 2;
  const int bins = std::min(global.columns(), 120) - kName - kTop - kBorders;
  if (bins < 20) return;
  const auto courses = over_time(trace, static_cast<std::size_t>(bins));
  if (courses.empty()) return;
  const std::string end = time_text(report.wall_ns);
  const auto gap = bins - static_cast<int>(end.size()) - 2;
  global.print_heading("\n{:<{}} 0{:<{}}{} # =\n", "over time", kName, "", gap, end);
  for (const Course& course : courses) {
    global.print("{:<{}.{}}|{}| {}\n", one_line(course.name), kName, kName - 1, sparkline(course.values), course.most);
  }
}

// For the names that are listed: at least `least`, and what they need as far as the `others` of a line leave room.
template <class Entries>
std::size_t name_width(const Entries& entries, std::size_t least, std::size_t others, const Global& global) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < std::min(kMost, entries.size()); ++i)
    longest = std::max(longest, one_line(entries[i].name).size());
  const auto columns = static_cast<std::size_t>(global.columns());
  return std::max(least, std::min(longest, columns - std::min(others, columns)));
}

std::string workers_of(const Trace& trace) {
  return counted(static_cast<std::uint64_t>(std::max(trace.workers, 0)), "worker");
}

void print_bound(const Trace& trace, const Report& report, Global& global) {
  const double path = static_cast<double>(report.path.length);
  std::uint64_t tasks = 0;
  for (const NameCost& name : report.path_names) tasks += name.name == kElsewhere ? 0 : name.tasks;
  global.print("\ncritical path   {:>9}   {}\n", time_text(path), counted(tasks, "task"));
  global.print("work / workers  {:>9}   {} of work, {}{}\n", time_text(report.work_bound_ns), time_text(report.work_ns),
               workers_of(trace),
               report.guests_ns > 0 ? fmt::format(", and guests for {}", time_text(report.guests_ns)) : "");
  if (report.bytes_bound_ns > 0) global.print("bytes / bandwidth {:>7}\n", time_text(report.bytes_bound_ns));
  global.print("{}   the run took {}, {:.2f} times as long\n",
               Global::style().number(fmt::format("bound           {:>9}", time_text(report.bound_ns()))),
               time_text(report.wall_ns), report.bound_ns() > 0 ? report.wall_ns / report.bound_ns() : 0);
  if (path <= 0) return;
  global.print_heading("\non the critical path\n");
  const std::size_t width = name_width(report.path_names, 28, 29, global);
  for (std::size_t i = 0; i < std::min(kMost, report.path_names.size()); ++i) {
    const NameCost& name = report.path_names[i];
    global.print("  {:<{}} {:>7} {:>10} {:>7}\n", shortened(one_line(name.name), width), width,
                 name.tasks == 0 ? "" : std::to_string(name.tasks), time_text(name.path_ns),
                 percent(name.path_ns, path));
  }
}

void print_names(const Report& report, Global& global) {
  if (report.names.empty()) return;
  const std::size_t width = name_width(report.names, 24, 49, global);
  global.print_heading("\n{:<{}} {:>7} {:>10} {:>7} {:>10} {:>10}\n", "tasks", width, "number", "time", "of work",
                       "each", "footprint");
  for (std::size_t i = 0; i < std::min(kMost, report.names.size()); ++i) {
    const NameCost& name = report.names[i];
    global.print("{:<{}} {:>7} {:>10} {:>7} {:>10} {:>10}\n", shortened(one_line(name.name), width), width, name.tasks,
                 time_text(name.ns), percent(name.ns, report.work_ns),
                 time_text(name.ns / static_cast<double>(name.tasks)), measured_size(name.bytes / name.tasks));
  }
}

void print_bytes(const Report& report, Global& global) {
  if (report.links.empty()) return;
  global.print_heading("\n{:<24} {:>10} {:>9} {:>8} {:>8} {:>9}\n", "link", "bytes", "moves", "busy", "GB/s",
                       "measured");
  for (const LinkUse& link : report.links) {
    global.print("{:<24} {:>10} {:>9} {:>8} {:>8.2f} {:>9}\n", one_line(link.from + " to " + link.to),
                 measured_size(link.bytes), link.moves, percent(link.busy_ns, report.wall_ns), link.gb_per_s(),
                 fmt::format("{}{:.2f}", link.is_known() ? "" : "~", link.most_gb_per_s()));
  }
  if (!std::all_of(report.links.begin(), report.links.end(), [](const LinkUse& l) { return l.is_known(); }))
    global.print("~: not measured; the most that this run has seen\n");
  const std::size_t width = name_width(report.blocks, 24, 40, global);
  global.print_heading("\n{:<{}} {:>7} {:>10} {:>9} {:>10}\n", "blocks", width, "number", "size", "moves", "moved");
  for (std::size_t i = 0; i < std::min(kMost, report.blocks.size()); ++i) {
    const BlockCost& block = report.blocks[i];
    global.print("{:<{}} {:>7} {:>10} {:>9} {:>10}\n", shortened(one_line(block.name), width), width, block.blocks,
                 measured_size(block.bytes), block.moves, measured_size(block.moved));
  }
}

Json times(const TimeParts& p) {
  return {{"worker", p.worker},
          {"domain", p.domain},
          {"tasks", p.tasks},
          {"running_ns", p.running},
          {"program_ns", p.program},
          {"analysing_ns", p.analysing},
          {"scheduling_ns", p.scheduling},
          {"moving_ns", p.moving},
          {"waiting_for_data_ns", p.waiting_for_data},
          {"waiting_for_room_ns", p.waiting_for_room},
          {"waiting_for_others_ns", p.waiting_for_others},
          {"waiting_for_ranks_ns", p.waiting_for_ranks},
          {"waiting_for_work_ns", p.waiting_for_work},
          {"idle_ns", p.idle},
          {"asleep_ns", p.slept}};
}

// Tasks that were taken from other workers, by how many domains away these are.
std::map<std::uint32_t, std::uint64_t> stolen_by_distance(const Trace& trace) {
  std::map<std::uint32_t, std::uint64_t> tasks;
  for (const Steal& steal : trace.steals) tasks[steal.distance] += steal.tasks;
  return tasks;
}

Json name_object(const NameCost& n) {
  return {{"name", n.name}, {"tasks", n.tasks}, {"own_ns", n.ns}, {"path_ns", n.path_ns}, {"footprint_bytes", n.bytes}};
}

// Of its tasks on the path, what they cost is not told apart.
Json step_object(const NameCost& n) { return {{"name", n.name}, {"tasks", n.tasks}, {"path_ns", n.path_ns}}; }

template <class Items, class F>
Json list(const Items& items, F&& object) {
  Json result = Json::array();
  for (const auto& item : items) result.push_back(object(item));
  return result;
}

}  // namespace

void print(const Trace& trace, const Report& report, Global& global) {
  global.print_heading("runtime {}: {} on {}; {} in {}\n\n", trace.runtime, workers_of(trace), one_line(trace.machine),
                       counted(report.tasks, "task"), time_text(report.wall_ns));
  print_parts(trace, report, true, global);
}

void print_parts(const Trace& trace, const Report& report, bool each_worker, Global& global) {
  if (each_worker) print_workers(report, global);
  print_course(trace, report, global);
  print_bound(trace, report, global);
  print_names(report, global);
  print_bytes(report, global);
  if (!trace.steals.empty()) {
    std::string text;
    for (const auto& [distance, tasks] : stolen_by_distance(trace)) {
      text += fmt::format(
          "{}{} {}", text.empty() ? "" : ", ", tasks,
          distance == 0 ? "within a domain" : fmt::format("{} domain{} away", distance, distance == 1 ? "" : "s"));
    }
    global.print("\ntasks stolen: {}\n", text);
  }
  global.print("\n");
  for (const std::string& line : report.advice) global.print("{} {}\n", Global::style().warning("*"), one_line(line));
}

Json to_json(const Trace& trace, const Report& report) {
  return {{"runtime", trace.runtime},
          {"machine", trace.machine},
          {"wall_ns", report.wall_ns},
          {"tasks", report.tasks},
          {"tasks_of_no_worker", report.tasks_of_no_worker()},
          {"lost_events", trace.lost_events},
          {"ends_early", trace.cut},
          {"workers", list(report.workers, &times)},
          {"critical_path_ns", report.path.length},
          {"critical_path", list(report.path_names, &step_object)},
          {"work_ns", report.work_ns},
          {"guests_ns", report.guests_ns},
          {"work_bound_ns", report.work_bound_ns},
          {"bytes_bound_ns", report.bytes_bound_ns > 0 ? Json(report.bytes_bound_ns) : Json()},
          {"bound_ns", report.bound_ns()},
          {"names", list(report.names, &name_object)},
          {"links", list(report.links,
                         [](const LinkUse& l) -> Json {
                           return {{"from", l.from},
                                   {"to", l.to},
                                   {"bytes", l.bytes},
                                   {"moves", l.moves},
                                   {"busy_ns", l.busy_ns},
                                   {"gb_per_s", l.gb_per_s()},
                                   {"measured_gb_per_s", l.is_known() ? Json(l.known_gb_per_s) : Json()},
                                   {"most_gb_per_s", l.most_gb_per_s()}};
                         })},
          {"blocks", list(report.blocks,
                          [](const BlockCost& b) -> Json {
                            return {{"name", b.name},
                                    {"blocks", b.blocks},
                                    {"bytes", b.bytes},
                                    {"moves", b.moves},
                                    {"moved_bytes", b.moved}};
                          })},
          {"stolen", list(stolen_by_distance(trace),
                          [](const auto& s) -> Json {
                            return {{"domains_away", s.first}, {"tasks", s.second}};
                          })},
          {"evictions", trace.evictions},
          {"counters", trace.counters},
          {"advice", report.advice}};
}

}  // namespace weir::tool::report
