// SPDX-License-Identifier: Apache-2.0

#include "render.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/one_line.hpp"
#include "json.hpp"
#include "report/units.hpp"

namespace weir::tool::advise {

namespace {

using report::counted;
using report::measured_size;
using report::time_text;

constexpr std::size_t kMost = 5;       // names that are listed
constexpr std::size_t kMostRows = 12;  // predictions that are listed

std::string seconds_text(double seconds) { return seconds > 0 ? time_text(seconds * 1e9) : "-"; }

std::string number(double value, const char* format) {
  return value > 0 ? fmt::format(fmt::runtime(format), value) : "-";
}

// What a description says is nobody's claim and nobody's measurement.
std::string source_text(const MachineFacts& machine) {
  if (!machine.is_this_system && machine.source == machine::CostSource::claimed) return "described";
  return machine::to_string(machine.source);
}

void print_machine(const MachineFacts& machine, Global& global) {
  global.print_heading("machine  {}: {} in {}, {} by default\n", machine.name,
                       counted(static_cast<std::uint64_t>(machine.cores), "core"),
                       counted(static_cast<std::uint64_t>(machine.domains), "domain"),
                       counted(static_cast<std::uint64_t>(machine.workers), "worker"));
  global.print("{:<8} {:>5} {:>10} {:>10} {:>10} {:>5}  {}\n", "memory", "nodes", "capacity", "read GB/s", "write GB/s",
               "ns", source_text(machine));
  for (const KindFacts& kind : machine.kinds) {
    global.print("{:<8} {:>5} {:>10} {:>10} {:>10} {:>5}\n", machine::to_string(kind.kind), kind.nodes,
                 measured_size(kind.capacity.count), number(kind.read_gb_per_s, "{:.1f}"),
                 number(kind.write_gb_per_s, "{:.1f}"), number(kind.latency_ns, "{:.0f}"));
    if (kind.side_cache.count > 0)
      global.print("         behind a cache of {}\n", measured_size(kind.side_cache.count));
  }
}

void print_tasks(const ProgramFacts& program, Global& global) {
  global.print("{:<20} {:>9} {:>14}\n", "tasks", "number", "bytes a task");
  for (std::size_t i = 0; i < std::min(kMost, program.task_names.size()); ++i) {
    const TaskUse& use = program.task_names[i];
    global.print("{:<20} {:>9} {:>14}\n", use.name.empty() ? "(no name)" : base::one_line(use.name), use.tasks,
                 measured_size(use.bytes / std::max<std::uint64_t>(use.tasks, 1)));
  }
  if (program.block_names.empty()) return;
  global.print("{:<20} {:>9} {:>14} {:>14}\n", "blocks, hottest first", "number", "size", "times used");
  for (std::size_t i = 0; i < std::min(kMost, program.block_names.size()); ++i) {
    const BlockUse& use = program.block_names[i];
    global.print(
        "{:<20} {:>9} {:>14} {:>14}\n", use.name.empty() ? "(no name)" : base::one_line(use.name), use.blocks,
        measured_size(use.bytes),
        use.bytes == 0 ? "-" : fmt::format("{:.1f}", static_cast<double>(use.used) / static_cast<double>(use.bytes)));
  }
}

void print_program(const ProgramFacts& program, Global& global) {
  if (program.name.empty()) return;
  if (!program.traced) {
    global.print_heading("\nprogram  {}: no tasks of Weir's; at most {} in memory and {}, {}\n", program.name,
                         measured_size(program.peak_bytes),
                         counted(static_cast<std::uint64_t>(program.threads), "thread"), seconds_text(program.seconds));
    return;
  }
  global.print_heading("\nprogram  {}: {} with {} each on average, {} in blocks and {} elsewhere; {} with {}\n",
                       program.name, counted(program.tasks, "task"), measured_size(program.bytes_per_task()),
                       measured_size(program.block_bytes), measured_size(program.other_bytes),
                       seconds_text(program.seconds), counted(static_cast<std::uint64_t>(program.workers), "worker"));
  print_tasks(program, global);
  for (const std::string& finding : program.findings) global.print("report   {}\n", base::one_line(finding));
}

void print_modes(const std::vector<ModeRow>& modes, Global& global) {
  global.print_heading("\nmodes of the field guide here\n");
  global.print("{:<9} {:<25} {:>10} {:>7} {:>5} {:>10}\n", "mode", "software changes", "capacity", "GB/s", "ns",
               "predicted");
  for (const ModeRow& row : modes) {
    global.print("{:<9} {:<25} {:>10} {:>7} {:>5} {:>10}\n", row.mode, row.changes,
                 row.capacity.count > 0 ? measured_size(row.capacity.count) : "-", number(row.gb_per_s, "{:.0f}"),
                 number(row.latency_ns, "{:.0f}"), row.seconds ? seconds_text(*row.seconds) : "-");
    global.print("          {}\n", row.here);
  }
}

void print_choices(const Advice& advice, Global& global) {
  global.print_heading("\nadvice\n");
  for (const Choice& choice : advice.choices) {
    global.print("{:<10} {:<12} {}\n", choice.part, choice.value.empty() ? "(all memory)" : choice.value, choice.why);
    for (const Row& row : choice.rows)
      global.print("{:<10} {:<12} {}\n", "", row.value.empty() ? "(all memory)" : "  " + row.value,
                   row.seconds > 0 ? "predicted " + seconds_text(row.seconds) : row.failure);
  }
}

void print_ranked(const Advice& advice, Global& global) {
  global.print_heading("\nsettings, by prediction\n");
  for (std::size_t i = 0; i < std::min(kMostRows, advice.ranked.size()); ++i) {
    const Predicted& each = advice.ranked[i];
    if (each.setting.cache_mode) continue;
    global.print("{:>10} {:>10} moved  {}\n", each.failure.empty() ? seconds_text(each.seconds) : "-",
                 measured_size(each.moved), command_options(each.setting));
    if (!each.failure.empty()) global.print("           {}\n", each.failure);
  }
  if (advice.ranked.size() > kMostRows)
    global.print("           and {} more (--json)\n", advice.ranked.size() - kMostRows);
}

void print_memory(const std::vector<MemoryRow>& rows, Global& global) {
  if (rows.empty()) return;
  const std::size_t best = best_row(rows);
  global.print_heading("\nits memory, by bandwidth and latency, read by {} (docs/placing.md)\n",
                       counted(static_cast<std::uint64_t>(rows.front().threads), "thread"));
  global.print("{:<12} {:>14} {:>8} {:>20}\n", "--memory", "in fast memory", "GB/s", "to read all of it");
  for (std::size_t i = 0; i < rows.size(); ++i)
    global.print("{:<12} {:>14} {:>8} {:>20}{}\n", rows[i].mode.empty() ? "(none)" : rows[i].mode,
                 measured_size(rows[i].fast_bytes), number(rows[i].gb_per_s, "{:.1f}"), seconds_text(rows[i].seconds),
                 i == best ? "  advised" : "");
}

std::string label_of(const Trial& trial, bool traced) {
  if (traced) return command_options(trial.setting);
  return trial.memory.empty() ? "as the kernel does it" : "--memory " + trial.memory;
}

void print_trials(const Finding& finding, Global& global) {
  if (finding.trials.empty()) return;
  global.print_heading("\ntried here, in turns\n");
  global.print("{:>10} {:>10} {:>10}  {}\n", "median", "least", "most", "setting, the advised one first");
  for (const Trial& trial : finding.trials) {
    if (!trial.failure.empty()) {
      global.print("{:>10} {:>10} {:>10}  {}: {}\n", "-", "-", "-", label_of(trial, finding.program.traced),
                   trial.failure);
      continue;
    }
    const auto [least, most] = std::minmax_element(trial.seconds.begin(), trial.seconds.end());
    global.print("{:>10} {:>10} {:>10}  {}\n", seconds_text(trial.median()), seconds_text(*least), seconds_text(*most),
                 label_of(trial, finding.program.traced));
  }
  const auto won = winner_of(finding.trials);
  if (!won) return;
  const Trial& best = finding.trials[*won];
  const Trial& advised = finding.trials.front();
  if (advised.failure.empty())
    global.print("won: {}; what was advised took {:.2f} times that\n", label_of(best, finding.program.traced),
                 advised.median() / best.median());
}

// ---- For programs ----

Json known(double value) { return value > 0 ? Json(value) : Json(); }

Json object_of(const Setting& setting) {
  return {{"tiers", setting.tiers},
          {"allocation", text_of(setting.allocation)},
          {"strategy", text_of(setting.strategy)},
          {"policy", text_of(setting.policy)},
          {"bind", text_of(setting.bind)},
          {"workers", setting.workers}};
}

Json machine_object(const MachineFacts& machine) {
  Json kinds = Json::array();
  for (const KindFacts& kind : machine.kinds)
    kinds.push_back({{"kind", machine::to_string(kind.kind)},
                     {"nodes", kind.nodes},
                     {"capacity_bytes", kind.capacity.count},
                     {"side_cache_bytes", kind.side_cache.count},
                     {"read_gb_per_s", known(kind.read_gb_per_s)},
                     {"write_gb_per_s", known(kind.write_gb_per_s)},
                     {"latency_ns", known(kind.latency_ns)}});
  return {{"object", "machine"},
          {"name", machine.name},
          {"cores", machine.cores},
          {"domains", machine.domains},
          {"workers", machine.workers},
          {"figures", source_text(machine)},
          {"memory", kinds}};
}

Json program_object(const ProgramFacts& program) {
  Json tasks = Json::array(), blocks = Json::array();
  for (const TaskUse& use : program.task_names)
    tasks.push_back({{"name", use.name}, {"tasks", use.tasks}, {"bytes", use.bytes}});
  for (const BlockUse& use : program.block_names)
    blocks.push_back({{"name", use.name}, {"blocks", use.blocks}, {"bytes", use.bytes}, {"used_bytes", use.used}});
  return {{"object", "program"},
          {"name", program.name},
          {"traced", program.traced},
          {"seconds", program.seconds},
          {"workers", program.workers},
          {"threads", program.threads},
          {"tasks", program.tasks},
          {"bytes_per_task", program.bytes_per_task()},
          {"block_bytes", program.block_bytes},
          {"other_bytes", program.other_bytes},
          {"peak_bytes", program.peak_bytes},
          {"task_names", tasks},
          {"blocks", blocks},
          {"findings", program.findings}};
}

Json mode_object(const ModeRow& row) {
  return {{"object", "mode"},
          {"mode", row.mode},
          {"there", row.is_there},
          {"changes", row.changes},
          {"capacity_bytes", row.capacity.count},
          {"gb_per_s", known(row.gb_per_s)},
          {"latency_ns", known(row.latency_ns)},
          {"predicted_s", row.seconds ? Json(*row.seconds) : Json()},
          {"here", row.here}};
}

void add_advice(const Advice& advice, Global& global) {
  for (const Choice& choice : advice.choices) {
    Json rows = Json::array();
    for (const Row& row : choice.rows)
      rows.push_back({{"value", row.value}, {"predicted_s", known(row.seconds)}, {"failure", row.failure}});
    global.add({{"object", "choice"},
                {"part", choice.part},
                {"value", choice.value},
                {"why", choice.why},
                {"compared", rows}});
  }
  for (const Predicted& each : advice.ranked) {
    Json object{{"object", "prediction"}};
    object.update(object_of(each.setting));
    object.update({{"cache_mode", each.setting.cache_mode},
                   {"predicted_s", known(each.seconds)},
                   {"bytes_moved", each.moved},
                   {"data_wait_s", each.data_wait_s},
                   {"failure", each.failure}});
    global.add(std::move(object));
  }
}

void add_objects(const Finding& finding, Global& global) {
  global.add(machine_object(finding.machine));
  if (!finding.program.name.empty()) global.add(program_object(finding.program));
  for (const ModeRow& row : finding.modes) global.add(mode_object(row));
  if (finding.advice) add_advice(*finding.advice, global);
  for (const MemoryRow& row : finding.memory)
    global.add({{"object", "memory"},
                {"mode", row.mode},
                {"fast_bytes", row.fast_bytes},
                {"gb_per_s", known(row.gb_per_s)},
                {"seconds", row.seconds},
                {"threads", row.threads}});
  for (const Trial& trial : finding.trials) {
    Json object{{"object", "trial"}};
    object.update(object_of(trial.setting));
    object.update({{"memory", trial.memory},
                   {"median_s", trial.failure.empty() ? Json(trial.median()) : Json()},
                   {"seconds", trial.seconds},
                   {"failure", trial.failure}});
    global.add(std::move(object));
  }
  Json advice{{"object", "advice"}, {"command", finding.command}};
  if (finding.advice) advice.update(object_of(finding.advice->setting));
  if (!finding.memory.empty()) advice["memory"] = finding.memory[best_row(finding.memory)].mode;
  advice["predicted_s"] = finding.advice ? known(finding.advice->seconds) : Json();
  advice["agreement"] = known(finding.agreement);
  advice["notes"] = finding.notes;
  global.add(std::move(advice));
}

}  // namespace

double Trial::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  if (sorted.empty()) return 0;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

std::optional<std::size_t> winner_of(const std::vector<Trial>& trials) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (trials[i].failure.empty() && (!best || trials[i].median() < trials[*best].median())) best = i;
  return best;
}

void show(const Finding& finding, Global& global) {
  print_machine(finding.machine, global);
  print_program(finding.program, global);
  print_modes(finding.modes, global);
  if (finding.advice) {
    print_choices(*finding.advice, global);
    print_ranked(*finding.advice, global);
  }
  print_memory(finding.memory, global);
  print_trials(finding, global);
  global.print("\n");
  for (const std::string& note : finding.notes) global.print("note     {}\n", note);
  if (!finding.command.empty()) global.print_heading("run      {}\n", finding.command);
  add_objects(finding, global);
}

}  // namespace weir::tool::advise
