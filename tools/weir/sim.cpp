// SPDX-License-Identifier: Apache-2.0

// weir sim: a traced program once more, on a machine that need not be there.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "machine_options.hpp"
#include "memory/tier_spec.hpp"
#include "runtime/options.hpp"
#include "show_report.hpp"
#include "sim/bound.hpp"
#include "sim/read_program.hpp"
#include "sim/simulator.hpp"
#include "sim/target.hpp"
#include "sim_report.hpp"
#include "traced_run.hpp"
#include "verb.hpp"
#include "weir/runtime.hpp"

namespace weir::tool {

namespace {

using base::Code;
using base::Result;
using base::Status;

struct SimSettings {
  std::string file;
  MachineOptions machine;
  int workers = 0;  // 0: not said
  int runtime = 0;  // 0: not said
  bool typical_costs = false, bound = false;
};

bool was_given(const Global& global, std::string_view option) {
  return std::any_of(global.overrides.begin(), global.overrides.end(),
                     [&](const auto& given) { return given.first == option; });
}

// The runtime's of the traced run, then what the command line says. The environment is that of a program that runs.
Result<Options> options_for(const SimSettings& settings, const sim::RealRun& real, const Global& global) {
  Options options;
  for (const auto& [name, text] : real.settings) {
    if (name == "machine" || name == "emulated_bytes_per_second" || name == "workers") continue;
    if (name == "tiers" && !settings.machine.machine.empty()) continue;  // another machine has others
    static_cast<void>(runtime::set_option(options, name, text, name));   // one that this Weir does not have is left out
  }
  for (const auto& [name, text] : global.overrides)
    if (Status status = runtime::set_option(options, name, text, "--" + runtime::dashed(name)); !status) return status;
  options.machine = settings.machine.machine;
  options.workers = settings.workers != 0 ? settings.workers : real.workers;
  return options;
}

Result<const trace::RuntimeInfo*> choose(const trace::TraceReader& reader, const SimSettings& settings) {
  const auto& runtimes = reader.runtimes();
  if (settings.runtime > static_cast<int>(runtimes.size())) {
    return Status{Code::bad_option,
                  fmt::format("--runtime {}: {} has {}", settings.runtime, settings.file, runtimes.size())};
  }
  if (settings.runtime > 0) return &runtimes[static_cast<std::size_t>(settings.runtime - 1)];
  return busiest_runtime(reader, settings.file);
}

// With all blocks in the first tier, however large that has to be.
sim::Target with_room(const sim::Target& target) {
  sim::Target roomy = target;
  std::uint64_t all = 0;
  for (const std::uint64_t budget : roomy.budgets) all += budget;
  all = std::min(all, sim::Target::kMostOfNode);
  for (const data::engine::NodeId node : roomy.hierarchy.tiers.front().nodes)
    roomy.budgets[data::engine::index_of(node)] = all;
  roomy.hierarchy.tiers.front().budget = all * roomy.hierarchy.tiers.front().nodes.size();
  return roomy;
}

sim::SlowBandwidth slow_bandwidth(const sim::Target& target) {
  const auto& tiers = target.hierarchy.tiers;
  if (tiers.size() < 2) return {0, 0, 0};
  if (tiers[1].slowed)
    return {target.emulated_bytes_per_second, target.emulated_bytes_per_second, target.emulated_bytes_per_second};
  sim::SlowBandwidth slow;
  for (const data::engine::NodeId node : tiers[1].nodes) {
    const std::size_t memory = target.memory[data::engine::index_of(node)];
    if (memory == sim::Target::kFile)
      return {target.file_bytes_per_second, target.file_bytes_per_second, target.file_bytes_per_second};
    double read = 0, write = 0;
    for (std::size_t domain = 0; domain < target.costs.domains(); ++domain) {
      read = std::max(read, target.costs.cost(memory, DomainId(domain)).read_gb_per_s * 1e9);
      write = std::max(write, target.costs.cost(memory, DomainId(domain)).write_gb_per_s * 1e9);
    }
    slow.read += read;
    slow.write += write;
  }
  slow.mixed = std::max(slow.read, slow.write);
  return slow;
}

Result<SimBound> find_bound(const sim::Program& program, const sim::Target& target, const sim::Target& source,
                            const Options& options) {
  const std::uint64_t budget = target.hierarchy.tiers.front().budget;
  const sim::AccessTrace trace = sim::access_trace_of(program);
  const std::uint64_t most = sim::most_at_once(trace);
  if (most > budget) {
    return Status{Code::bad_input,
                  fmt::format("--bound: a task names {} bytes of blocks, more than the first tier has ({}); "
                              "give it more with --tiers",
                              most, budget)};
  }
  const sim::Target roomy = with_room(target);
  auto resident = sim::Simulator(program, roomy, source, options).run();
  if (!resident) return resident.status();
  SimBound bound;
  bound.movement = sim::least_movement(trace, budget);
  const sim::SlowBandwidth slow = slow_bandwidth(target);
  const double computing = static_cast<double>(resident->makespan_ns) * 1e-9;
  bound.seconds = slow.mixed > 0 ? sim::bound_seconds(computing, bound.movement, slow) : computing;
  return bound;
}

// What the traced program ran on, or the machine that the command line says it was.
Result<sim::Target> make_source(const SimSettings& settings, const sim::RealRun& real) {
  auto machine = machine_named(settings.machine.traced_machine);
  if (!machine) return machine.status();
  sim::TargetRequest request;
  request.options.workers = real.workers;
  request.options.machine = settings.machine.traced_machine;
  request.typical_costs = true;
  return sim::make_target(*machine, request, real);
}

Result<sim::Target> make_target(const SimSettings& settings, const Options& options, const sim::RealRun& real,
                                const Global& global) {
  auto machine = machine_named(settings.machine.machine);
  if (!machine) return machine.status();
  sim::TargetRequest request;
  request.options = options;
  request.own_machine = settings.machine.machine.empty();
  request.own_tiers = settings.machine.machine.empty() && !was_given(global, "tiers");
  request.typical_costs = settings.typical_costs || settings.machine.machine.empty();
  request.file_gb_per_s = settings.machine.file_gb_per_s;
  return sim::make_target(*machine, request, real);
}

// Memory that the options ask for, or that the program needs, and that is not there.
int fail_to_simulate(const Status& status) {
  const bool cannot_be_had = status.code == Code::no_space || status.code == Code::not_found;
  return cannot_be_had ? fail(status.message, kUsage) : fail_to_read(status);
}

int run_sim(const SimSettings& settings, Global& global) {
  const QuietHwloc of_files;
  global.progress("reading " + settings.file);
  const auto reader = open_trace_of_process(settings.file);
  global.progress("");
  if (!reader) return fail_to_read(reader.status());
  const auto runtime = choose(*reader, settings);
  if (!runtime) return fail_to_read(runtime.status());
  const auto program = sim::read_program(*reader, **runtime);
  if (!program) return fail_to_read(program.status());
  const auto options = options_for(settings, program->real, global);
  if (!options) return fail_to_read(options.status());
  const auto source = make_source(settings, program->real);
  if (!source) return fail_to_simulate(source.status());
  const auto target = make_target(settings, *options, program->real, global);
  if (!target) return fail_to_simulate(target.status());
  global.progress("simulating");
  const auto prediction = sim::Simulator(*program, *target, *source, *options).run();
  global.progress("");
  if (!prediction) return fail_to_simulate(prediction.status());
  SimReport report{std::filesystem::path(settings.file).filename().string(),
                   settings.machine.machine,
                   *options,
                   *program,
                   *target,
                   *prediction,
                   false,
                   std::nullopt};
  report.as_traced = settings.machine.machine.empty() && settings.workers == 0 && global.overrides.empty();
  if (settings.bound) {
    auto bound = find_bound(*program, *target, *source, *options);
    if (!bound) return fail_to_simulate(bound.status());
    report.bound = *bound;
  }
  show(report, global);
  return kDone;
}

std::string text() {
  return fmt::format(
      R"(Reads the file that --trace FILE.weir has made a runtime write, and runs its tasks once more in a simulation: on this machine, or on one that is described, with as many workers and in whatever tiers. It says how long that takes, how many bytes move between which tiers, how long workers wait for data, and where each worker's time goes. Nothing is computed and no memory is used: edges between tasks come from the footprints in the trace, blocks move as the data layer's own engine decides, tasks go where the scheduler's rules send them, and the clock is the cost of memory.

Without options it simulates the run that was traced, and says how far it is off. So it is known what a prediction for another machine is worth.

{}

A task's own time is the traced one. What it takes to read and write its footprint once is scaled by how fast memory is there and here; the rest is not, as if the cores were the same. A program that waits for anything but its tasks waits as long as it did. Priorities of tasks, data blocks of OCR that exclude each other, and the room that a file system has are not simulated; docs/simulating.md says more.

--bound adds the least that has to be moved when tasks run in the order of spawning, by one who knows it in advance and evicts what is needed last, and the least time for that. Another order may need less.)",
      machine_names());
}

}  // namespace

void add_sim(CLI::App& app, Global& global) {
  auto settings = std::make_shared<SimSettings>();
  CLI::App& verb =
      add_verb(app, global,
               {.name = "sim",
                .purpose = "predict how a traced program runs on another machine",
                .text = text(),
                .examples = {{"weir run --trace t.weir ./program", "record a run"},
                             {"weir sim t.weir", "the same run, simulated: how far off is it?"},
                             {"weir sim t.weir --machine knl-snc4-flat --workers 64", "on a machine that is not there"},
                             {"weir sim t.weir --tiers memory=1GiB,emulated=8GiB@0.25 --strategy inline --bound",
                              "other tiers, another strategy, and what would be best"},
                             {"weir sim t.weir --json | jq '.[].predicted_s'", "for programs"}}},
               [settings](Global& g) { return run_sim(*settings, g); });
  add_option(verb, "file", settings->file, "the trace").required().type_name("FILE");
  add_machine_options(verb, settings->machine, "simulate this one; default this machine, as the traced run");
  add_option(verb, "--workers", settings->workers, "threads that run tasks; default as many as were traced")
      .type_name("N")
      .between(1, Runtime::kMaxWorkers);
  add_flag(verb, "--typical-costs", settings->typical_costs,
           "for a description without bandwidths: those that such memory usually has");
  add_flag(verb, "--bound", settings->bound,
           "also the least that has to be moved in the order of spawning, and the least time");
  add_option(verb, "--runtime", settings->runtime, "the N-th runtime of the process; default the one with most events")
      .type_name("N")
      .between(1, 1'000'000);
  add_runtime_options(verb, global,
                      {"workers", "machine", "bind", "io", "checkpoint", "checkpoint_every", "restart", "rank_copies",
                       "trace", "explain", "explain_after", "island_memory", "island_heap", "island_segment",
                       "island_nodes", "island_controllers", "island_stripe", "island_seed"});
  global.entries.at(&verb).reads_options = false;  // those of the traced run, and what is said here
}

}  // namespace weir::tool
