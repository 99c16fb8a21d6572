// SPDX-License-Identifier: Apache-2.0

#include "run_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>

#include "base/one_line.hpp"
#include "file_names.hpp"
#include "json.hpp"
#include "launch/binding.hpp"
#include "launch/launcher.hpp"
#include "machine/machine.hpp"
#include "print_error.hpp"
#include "program_variables.hpp"
#include "run_hosts.hpp"
#include "run_job_report.hpp"
#include "run_ranks_memory.hpp"
#include "runtime/options.hpp"
#include "trace/job_process.hpp"

namespace weir::tool {

namespace {

using base::Code;
using base::Status;
using launch::BindRanks;
using Variables = std::vector<std::pair<std::string, std::string>>;

constexpr int kMostRanks = 4096;

std::optional<BindRanks> bind_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "cores") return BindRanks::cores;
  return text == "domains" ? BindRanks::domains : BindRanks::none;
}

// What a verb for one process does and this one does not.
Status check(const RanksOptions& options, bool traces, const Global& global) {
  const auto refuse = [](std::string message) { return Status{Code::bad_option, std::move(message)}; };
  if (!global.trace_as.empty() && !global.trace_as.ends_with(".json"))
    return refuse(
        fmt::format("--trace {}: with -n each rank has a trace of its own, of which together only JSON is made: "
                    "--trace t.json; or --trace t.weir, and weir trace t.0.weir --to t.0.otf2",
                    global.trace_as));
  if (options.hosts.empty()) return Status::success();
  if (options.shows_binding) return refuse("--show-binding: not with --hosts, where the mpirun binds ranks");
  if (global.json && !traces)
    return refuse(
        "--json: with --hosts only together with --trace or --report, as weir becomes the mpirun where there is "
        "nothing to do after it");
  return Status::success();
}

bool says_how_workers_are_bound(const Global& global) {
  const auto is_bind = [](const auto& option) { return option.first == "bind"; };
  return std::getenv("WEIR_BIND") != nullptr || std::any_of(global.overrides.begin(), global.overrides.end(), is_bind);
}

Status bind(const RanksOptions& options, const Global& global, launch::JobSpec& spec) {
  auto machine = machine::Machine::discover();
  if (!machine) return machine.status();
  const auto asked = bind_of(options.bind);
  if (!machine->is_this_system() && asked.value_or(BindRanks::none) != BindRanks::none)
    return {Code::bad_option, fmt::format("--bind-ranks {}: hwloc describes another machine (HWLOC_XMLFILE, "
                                          "HWLOC_SYNTHETIC)",
                                          options.bind)};
  spec.host_cores = launch::cores_of_job(*machine);
  // Ranks that run as if on another machine have all cores of this one.
  const bool as_elsewhere = !machine->is_this_system() || !global.options.machine.empty();
  const BindRanks how = asked.value_or(as_elsewhere ? BindRanks::none : BindRanks::cores);
  std::vector<launch::Share> shares = launch::shares(*machine, spec.ranks, how);
  if (options.shows_binding) {
    for (std::uint32_t rank = 0; rank < spec.ranks; ++rank)
      print_error("rank {}: {}\n", rank, launch::shown(shares[rank], *machine));
  }
  // Each runtime would have its first worker on the same core.
  const bool workers_float = launch::overlap(shares) && !says_how_workers_are_bound(global);
  spec.variables = [variables = program_variables(global), trace = absolute_name(global.options.trace),
                    workers_float](std::uint32_t rank) {
    Variables result = variables;
    if (!trace.empty()) result.emplace_back(runtime::variable("trace"), trace::file_of_rank(trace, rank));
    if (workers_float) result.emplace_back(runtime::variable("bind"), "none");
    return result;
  };
  if (how != BindRanks::none) spec.shares = std::move(shares);
  return Status::success();
}

}  // namespace

void add_ranks_options(CLI::App& verb, RanksOptions& options) {
  add_option(
      verb, "-n,--ranks", options.ranks,
      fmt::format("start PROGRAM as the N ranks of a job, 1 to {}: each with cores of its own; when one fails the "
                  "others are ended (docs/processes.md); without it: one process",
                  kMostRanks))
      .type_name("N")
      .default_str("")
      .between(1, kMostRanks);
  add_flag(verb, "--label", options.label, "with -n: [RANK] before each line that a rank prints");
  add_option(
      verb, "--bind-ranks", options.bind,
      "with -n: what a rank may run on; cores: its share of the cores, the default on one host; domains: all cores "
      "of its NUMA domains; none: everything")
      .among({"cores", "domains", "none"});
  add_flag(verb, "--show-binding", options.shows_binding,
           "with -n: print on standard error which CPUs and memory each rank has");
  add_option(
      verb, "--hosts", options.hosts,
      "with -n: run on these hosts, by the mpirun of Open MPI or MPICH (WEIR_MPIRUN, or the first on PATH); a line "
      "is NAME, NAME slots=N or NAME:N")
      .type_name("FILE");
}

base::Status check_ranks_options(const RanksOptions& options) {
  const char* given = nullptr;
  if (options.label) given = "--label";
  if (options.shows_binding) given = "--show-binding";
  if (!options.bind.empty()) given = "--bind-ranks";
  if (!options.hosts.empty()) given = "--hosts";
  if (options.ranks > 0 || given == nullptr) return Status::success();
  return {Code::bad_option, fmt::format("{} is for ranks: say how many, as in weir run -n 4 {}...", given,
                                        options.hosts.empty() ? "" : "--hosts FILE ")};
}

namespace {

// On this host, by Weir's launcher.
int run_here(launch::JobSpec& spec, const RanksOptions& options, const MemoryOptions& memory, const std::string& hint,
             Global& global) {
  if (const Status status = bind(options, global, spec); !status) return fail(status);
  RanksMemory placed;
  if (const Status status = placed.prepare(memory, spec.words, spec.ranks); !status) return fail(status);
  spec.variables = [&placed, others = spec.variables](std::uint32_t rank) {
    Variables all = others(rank);
    for (auto& variable : placed.variables(rank)) all.push_back(std::move(variable));
    return all;
  };
  std::fflush(stdout);
  const auto start = std::chrono::steady_clock::now();
  std::optional<base::Result<launch::JobEnd>> ended;
  if (const Status status = placed.with_policy([&] { ended = launch::run_job(spec); }); !status) return fail(status);
  const auto& end = *ended;
  if (!end) return fail(end.status().message + (end.status().code == Code::not_found ? hint : ""), kUsage);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  global.ended_by = end->asked_by;
  Json object{{"program", spec.words.front()},
              {"arguments", global.rest},
              {"ranks", spec.ranks},
              {"status", end->status},
              {"seconds", seconds.count()}};
  placed.report(object);
  global.add(std::move(object));
  if (end->output_lost && end->status == 0) return fail("standard output cannot be written to");
  return end->status;
}

}  // namespace

int run_ranks(const std::vector<std::string>& words, const RanksOptions& options, const MemoryOptions& memory,
              const ReportAsked& report, const std::string& hint, Global& global) {
  const bool makes_something = report.is_asked_for() || !global.trace_as.empty();  // of the traces
  if (const Status status = check(options, makes_something || !global.options.trace.empty(), global); !status)
    return fail(status);
  const auto ranks = static_cast<std::uint32_t>(options.ranks);
  const auto run = [&](const std::function<int(Global&)>& job) {
    return makes_something ? run_and_report_job({report, words.front(), ranks}, job, global) : job(global);
  };
  if (!options.hosts.empty()) {
    const HostsJob job{words, ranks, options.hosts, options.label, bind_of(options.bind), program_variables(global)};
    return run([&](Global& g) { return run_on_hosts(job, g); });
  }
  launch::JobSpec spec;
  spec.words = words;
  spec.ranks = ranks;
  spec.label = options.label;
  if (global.json) spec.out = STDERR_FILENO;
  spec.as_line = [](const std::string& message) {
    return fmt::format("{} {}\n", terminal_style(STDERR_FILENO).bad("weir:"), base::one_line(message));
  };
  return run([&](Global& g) { return run_here(spec, options, memory, hint, g); });
}

}  // namespace weir::tool
