// SPDX-License-Identifier: Apache-2.0

#include "run_program.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/joined.hpp"
#include "base/nearest.hpp"
#include "child.hpp"
#include "file_names.hpp"
#include "json.hpp"
#include "live_progress.hpp"
#include "loadable.hpp"
#include "print_error.hpp"
#include "program_variables.hpp"
#include "recording.hpp"
#include "run_islands.hpp"
#include "run_memkind.hpp"
#include "run_memory.hpp"
#include "run_ranks.hpp"
#include "run_report.hpp"
#include "runtime/options.hpp"

namespace weir::tool {

namespace {

// What the command line says, and where to the trace goes that a report needs.
Child::Variables variables(const Global& global) {
  Child::Variables result = program_variables(global);
  if (!global.options.trace.empty())
    result.emplace_back(runtime::variable("trace"), absolute_name(global.options.trace));
  return result;
}

// The workers of its islands end with it.
ChildEnd wait(Child& child, std::unique_ptr<IslandsRun> workers, const std::string& program, const Global& global) {
  const ProgramProgress progress(child.pid(), std::filesystem::path(program).filename().string(), global);
  if (workers != nullptr) workers->watch(child.pid());
  bool lacks_master = false;
  const ChildEnd end = child.wait([&] {
    lacks_master = workers != nullptr && !workers->has_had_master();
    workers.reset();
  });
  if (lacks_master && end.asked == 0 && end.status == 0) {
    print_error(
        "weir: --islands: {} has made no weir::island::Master: each of the processes ran the whole program; leave out "
        "--islands, which is for programs that make one\n",
        program);
  }
  return end;
}

// For a name that no folder of PATH has.
std::string hint(const std::string& program, const std::vector<std::string>& verbs) {
  std::error_code error;
  if (std::filesystem::is_directory(program, error)) return "; it is a folder";
  const bool is_here = program.find('/') == std::string::npos && std::filesystem::exists(program, error);
  return is_here ? fmt::format("; did you mean ./{}?", program) : base::suggestion(program, verbs);
}

int cannot_start(const base::Status& why, const std::string& program, const std::vector<std::string>& verbs) {
  return fail(why.message + (why.code == base::Code::not_found ? hint(program, verbs) : ""), kUsage);
}

std::vector<std::string> words_of(const std::string& program, const Global& global) {
  std::vector<std::string> words{program};
  words.insert(words.end(), global.rest.begin(), global.rest.end());
  return words;
}

// Of every process of the program: standard output is that of the JSON array.
ChildOutput output_for(const Global& global) { return global.json ? ChildOutput::to_error : ChildOutput::ours; }

// Where its memory is asked to be: what that needs of its environment and of this thread.
base::Result<Child> start(const std::vector<std::string>& words, Child::Variables all, PlacedRun* placed,
                          const Global& global) {
  const ChildOutput output = output_for(global);
  if (placed == nullptr) return Child::start(words, all, output);
  for (auto& variable : placed->variables()) all.push_back(std::move(variable));
  std::optional<base::Result<Child>> child;
  const base::Status status = placed->with_policy([&] { child = Child::start(words, all, output); });
  if (!status) return status;
  return *child;
}

int run(const std::string& program, const std::vector<std::string>& verbs, const MemoryOptions& memory, int islands,
        Global& global) {
  const std::vector<std::string> words = words_of(program, global);
  std::unique_ptr<PlacedRun> placed;
  if (!memory.mode.empty()) {
    auto prepared = PlacedRun::prepare(memory, words);
    if (!prepared) return fail(prepared.status());
    placed = std::move(*prepared);
  }
  std::optional<MemkindRun> memkind;
  Child::Variables all = variables(global);
  if (memory.memkind) {
    if (const base::Status status = memkind.emplace().prepare(words); !status) return fail(status);
    for (auto& variable : memkind->variables()) all.push_back(std::move(variable));
  }
  std::unique_ptr<IslandsRun> workers;
  if (islands != 0) {
    auto started =
        IslandsRun::start(words, all, islands, absolute_name(global.options.island_segment), output_for(global));
    if (!started) return cannot_start(started.status(), program, verbs);
    workers = std::move(*started);
    for (auto& variable : workers->variables()) all.push_back(std::move(variable));
  }
  const Recording recording(global.options.trace);
  auto child = start(words, std::move(all), placed.get(), global);
  if (!child) return cannot_start(child.status(), program, verbs);
  const ChildEnd end = wait(*child, std::move(workers), program, global);
  global.ended_by = end.signal;
  Json object{{"program", program}, {"arguments", global.rest}, {"status", end.status}, {"seconds", end.seconds}};
  if (placed != nullptr) placed->report(object, "");
  if (memkind) memkind->report(object, "");
  global.add(std::move(object));
  if (!global.options.trace.empty() && recording.path().empty()) {
    fail(fmt::format("{} has made no runtime of this version of Weir: there is nothing to report", program));
    return end.status != 0 ? end.status : kFailed;
  }
  const bool is_users =
      global.keeps_traces && global.trace_as.empty();  // who makes something of it says that it ends early
  if (end.status == 0 && is_users && !recording.part().empty()) {
    return fail(fmt::format("trace {}: not whole; {} has what was written", global.options.trace, recording.part()),
                kFailed);
  }
  return end.status;
}

// What is written does not take the place of the program.
base::Status check_outputs(const std::string& program, const std::string& html, const Global& global) {
  const std::string& trace = global.trace_as.empty() ? global.options.trace : global.trace_as;
  return check_differ({{"the program", file_of_program(program)}, {"the trace", trace}, {"--html", html}});
}

}  // namespace

void add_program(CLI::App& verb, Global& global) {
  auto program = std::make_shared<std::string>();
  auto ranks = std::make_shared<RanksOptions>();
  Entry& entry = global.entries.at(&verb);
  entry.takes_program = true;
  auto memory = std::make_shared<MemoryOptions>();
  auto islands = std::make_shared<int>(0);
  entry.run = [program, memory, islands, &verb](Global& g) {
    return run(*program, names_below(verb), *memory, *islands, g);
  };
  add_option(verb, "program", *program, "a program that uses Weir, C++ or OCR, and after it its arguments")
      .type_name("PROGRAM");
  add_memory_options(verb, *memory);
  add_ranks_options(verb, *ranks);
  add_option(verb, "--islands", *islands,
             "start N more processes of PROGRAM, 1 to 1024, which become the workers of its first weir::island::Master "
             "when they come to it (docs/islands.md); without it a master forks its workers")
      .type_name("N")
      .default_str("")
      .between(1, 1024);
  add_flag(verb, "--json", global.json,
           "print one JSON array on standard output and nothing else there; what PROGRAM prints goes to standard "
           "error");
  const auto report = add_report_options(verb, global, [program] { return *program; });
  entry.run = [program, ranks, memory, islands, report, &verb, run_one = entry.run](Global& g) {
    const std::vector<std::string> verbs = names_below(verb);
    if (program->empty())
      return fail(fmt::format("run needs a program, or one of {}; see weir run --help", base::joined(verbs, ", ")),
                  kUsage);
    if (const base::Status status = check_ranks_options(*ranks); !status) return fail(status);
    if (const base::Status status = check_memory_options(*memory, !ranks->hosts.empty()); !status) return fail(status);
    if (const base::Status status = check_outputs(*program, report->html, g); !status) return fail(status);
    if (*islands != 0 && (ranks->ranks != 0 || !memory->mode.empty() || memory->memkind)) {
      return fail("--islands: not with -n, --memory or --memkind, which start or place one process for each rank",
                  kUsage);
    }
    if (*islands != 0 && (!g.options.checkpoint.empty() || !g.options.restart.empty())) {
      return fail(
          "--islands: programs on islands write no checkpoints; leave out --checkpoint and --restart (WEIR_CHECKPOINT, "
          "WEIR_RESTART)",
          kUsage);
    }
    if (ranks->ranks == 0) return run_one(g);
    return run_ranks(words_of(*program, g), *ranks, *memory, *report, hint(*program, verbs), g);
  };
  add_runtime_options(verb, global);
}

}  // namespace weir::tool
