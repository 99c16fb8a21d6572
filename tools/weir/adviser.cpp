// SPDX-License-Identifier: Apache-2.0

#include "adviser.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/modes.hpp"
#include "advise/predict.hpp"
#include "advise/render.hpp"
#include "advise_runs.hpp"
#include "base/joined.hpp"
#include "file_names.hpp"
#include "machine/machine_data.hpp"
#include "platform/affinity.hpp"
#include "program_variables.hpp"
#include "recording.hpp"
#include "report/units.hpp"
#include "runtime/options.hpp"
#include "show_report.hpp"
#include "temporary_folder.hpp"
#include "traced_run.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

using base::Code;
using base::Result;
using base::Status;
using machine::Machine;

// What the user has said of the runtime's options, on the command line or in the environment.
Result<advise::Fixed> fixed_by(const Global& global) {
  advise::Fixed fixed;
  const auto take = [&fixed](const std::string& name, const std::string& value, const std::string& said) {
    Options options;
    if (Status status = runtime::set_option(options, name, value, said); !status) return status;
    if (name == "tiers" && !value.empty()) fixed.tiers = value;
    if (name == "allocation") fixed.allocation = options.allocation;
    if (name == "strategy") fixed.strategy = options.strategy;
    if (name == "policy") fixed.policy = options.policy;
    if (name == "bind") fixed.bind = options.bind;
    if (name == "workers") fixed.workers = options.workers;
    return Status::success();
  };
  for (const auto& [variable, value] : runtime::environment())
    for (const runtime::OptionInfo& info : runtime::option_table())
      if (variable == runtime::variable(info.name))
        if (Status status = take(info.name, value, variable); !status) return status;
  for (const auto& [name, value] : global.overrides)
    if (Status status = take(name, value, "--" + runtime::dashed(name)); !status) return status;
  return fixed;
}

// No part of a setting, and not of the advice itself.
bool is_kept(std::string_view option) {
  constexpr std::string_view kOthers[] = {"tiers", "allocation", "strategy", "policy",
                                          "bind",  "workers",    "machine",  "trace"};
  return std::find(std::begin(kOthers), std::end(kOthers), option) == std::end(kOthers);
}
bool is_simulated(std::string_view option) { return option == "evict" || option == "throttle" || option == "chains"; }

// What is wrong with a temporary file, whose name says nothing to the user.
std::string without_name(const std::string& message, const std::string& path) {
  return message.starts_with(path + ": ") ? message.substr(path.size() + 2) : message;
}

class Adviser {
 public:
  Adviser(const AdviseSettings& settings, Global& global) : settings_(settings), global_(global) {
    subject_.words.insert(subject_.words.end(), global.rest.begin(), global.rest.end());
  }

  int run() {
    if (const int status = find_machine(); status != kDone) return status;
    auto fixed = fixed_by(global_);
    if (!fixed) return fail_to_read(fixed.status());
    fixed_ = std::move(*fixed);
    finding_.machine = advise::facts_of(*machine_, name_of_machine());
    if (finding_.machine.source == machine::CostSource::typical)
      finding_.notes.emplace_back(settings_.machine.machine.empty()
                                      ? "nothing of this machine's memory is measured: its figures are those that such "
                                        "memory usually has; weir topo --measure takes a minute"
                                      : "the description has no bandwidths: figures are those that such memory usually "
                                        "has");
    const int status = !settings_.trace.empty() ? by_trace() : !settings_.program.empty() ? by_program() : kDone;
    if (status != kDone) return status;
    if (runs_.empty()) by_memory();
    finding_.modes = advise::mode_rows(finding_.machine, finding_.program, for_modes_);
    if (settings_.trial)
      if (const int tried = try_them(); tried != kDone) return tried;
    advise::show(finding_, global_);
    return kDone;
  }

 private:
  int find_machine() {
    auto machine = machine_named(settings_.machine.machine);
    if (!machine) return fail(machine.status().message, is_described(settings_.machine.machine) ? kUsage : kFailed);
    machine_.emplace(std::move(*machine));
    if (settings_.machine.traced_machine.empty()) return kDone;
    const auto traced = machine_named(settings_.machine.traced_machine);
    return traced ? kDone : fail(traced.status().message, kUsage);
  }

  std::string name_of_machine() const {
    if (!settings_.machine.machine.empty()) return settings_.machine.machine;
    const std::string& model = machine_->data().cpu_model;
    return model.empty() ? "this one" : model;
  }

  // To be pasted.
  std::string command_line() const {
    std::vector<std::string> all = subject_.words;
    for (std::string& word : all) word = shell_word(word);
    return base::joined(all, " ");
  }

  int by_trace() {
    auto run = read_run(settings_.trace, global_);
    if (!run) return fail_to_read(run.status());
    runs_.push_back(std::move(*run));
    return simulate(std::filesystem::path(settings_.trace).filename().string());
  }

  // A program that makes no trace is none of Weir's; one whose trace cannot be simulated is advised as if it were not.
  int by_program() {
    auto looked = record({});
    if (!looked) return looked_failed(looked.status());
    finding_.program.name = settings_.program;
    finding_.program.peak_bytes = looked->peak_bytes;
    finding_.program.threads = looked->threads;
    finding_.program.seconds = looked->end.seconds;
    if (runs_.empty()) return kDone;
    if (has_a_choice_of_tiers() && !fixed_.strategy) {
      note_own_strategy(Options().strategy);
      if (!fixed_.strategy) {
        auto other = record({{runtime::variable("strategy"), advise::text_of(Strategy::off)}});
        if (!other) return looked_failed(other.status());
        note_own_strategy(Strategy::off);
      }
    }
    const int status = simulate(settings_.program);
    finding_.program.peak_bytes = 0;  // what blocks and footprints are says more
    return status;
  }

  int looked_failed(const Status& status) const {
    if (global_.ended_by != 0) return 128 + global_.ended_by;
    if (status.code == Code::no_space) return fail(status.message, kUsage);
    if (status.code != Code::not_found) return fail(status);
    const bool is_here = settings_.program.find('/') == std::string::npos && std::filesystem::exists(settings_.program);
    return fail(status.message + (is_here ? fmt::format("; did you mean ./{}?", settings_.program) : ""), kUsage);
  }

  // The last run was asked to have that strategy. When it had another, no option changes it.
  void note_own_strategy(Strategy asked) {
    const std::string* const taken = runs_.back().program.real.setting("strategy");
    Options own;
    if (taken == nullptr || !runtime::set_option(own, "strategy", *taken, "strategy") || own.strategy == asked) return;
    fixed_.strategy = own.strategy;
    finding_.notes.push_back(
        fmt::format("the program says itself that the strategy is {}, so that no other is looked at: {} and --strategy "
                    "are for runtimes whose Options leave it as it is",
                    *taken, runtime::variable("strategy")));
  }

  // Where blocks move, how far off a simulation is depends on whether any do: one run with, one without.
  bool has_a_choice_of_tiers() const {
    const sim::RealRun& real = runs_.front().program.real;
    return real.tiers.size() > 1 && !runs_.front().program.blocks.empty() && settings_.machine.machine.empty();
  }

  // Runs it with a trace, and reads that where there is one.
  Result<LookedAt> record(const Child::Variables& more) {
    const auto folder = TemporaryFolder::create("weir-advise-", "weir advise");
    if (!folder) return folder.status();
    const std::string trace = folder->name() + "/run.weir";
    Child::Variables variables = program_variables(global_);
    variables.emplace_back(runtime::variable("trace"), absolute_name(trace));
    variables.insert(variables.end(), more.begin(), more.end());
    const Recording recording(trace);
    auto looked = look_at(subject_, variables, more.empty() ? ChildOutput::to_error : ChildOutput::nothing, global_);
    if (!looked || recording.path() != trace) return looked;
    auto run = read_run(trace, global_);
    if (run)
      runs_.push_back(std::move(*run));
    else
      finding_.notes.push_back("its tasks are not simulated, so its memory alone is looked at: " +
                               without_name(run.status().message, trace));
    return looked;
  }

  // ---- Advice by simulation ----

  Result<advise::Predictor> predictor(const sim::RealRun& real) {
    auto traced = machine_named(settings_.machine.traced_machine);
    if (!traced) return traced.status();
    advise::PredictRequest request{*machine_,
                                   *traced,
                                   settings_.machine.machine,
                                   settings_.machine.traced_machine,
                                   {},
                                   settings_.machine.file_gb_per_s};
    for (const auto& [name, text] : real.settings) {
      if (name == "machine" || name == "emulated_bytes_per_second") continue;
      static_cast<void>(runtime::set_option(request.options, name, text, name));
    }
    for (const auto& [name, text] : global_.overrides)
      if (Status status = runtime::set_option(request.options, name, text, "--" + name); !status) return status;
    advise::Predictor result(std::move(request));
    for (const TracedRun& run : runs_)
      if (Status status = result.add(run.program); !status) return status;
    return result;
  }

  int simulate(const std::string& name) {
    const sim::Program& program = runs_.front().program;
    const double seconds = finding_.program.seconds;
    const std::uint64_t peak = finding_.program.peak_bytes;
    finding_.program = advise::facts_of(program, name);
    finding_.program.findings = runs_.front().findings;
    if (seconds > 0) finding_.program.seconds = seconds;
    finding_.program.peak_bytes = peak;
    const std::string* const tiers = program.real.setting("tiers");
    if (settings_.machine.machine.empty() && !fixed_.tiers && tiers != nullptr && !tiers->empty())
      fixed_.tiers = *tiers;
    auto made = predictor(program.real);
    if (!made) return fail_to_read(made.status());
    const auto all = predict_rounds(*made);
    finding_.advice = advise::decide(finding_.machine, finding_.program, all, fixed_);
    if (!fixed_.tiers) for_modes_ = all;  // else they are of none of the guide's modes
    for (const advise::Predicted& each : predict_cache_mode(*made)) for_modes_.push_back(each);
    if (settings_.machine.machine.empty() && settings_.machine.traced_machine.empty())
      finding_.agreement = made->agreement();
    if (finding_.advice->setting.workers == 0) return fail(why_nothing_runs(), kUsage);
    finding_.command = command_for(finding_.advice->setting);
    note_on_trust();
    return kDone;
  }

  std::vector<advise::Predicted> predict_rounds(const advise::Predictor& predictor) {
    std::vector<advise::Predicted> all;
    const auto round = [&](const std::vector<advise::Setting>& settings, const char* what) {
      if (settings.empty()) return;
      const auto progress = [&](std::size_t done) {
        global_.progress(fmt::format("simulating {}: {} of {}", what, done, settings.size()));
      };
      for (advise::Predicted& each : predictor.predict(settings, progress)) all.push_back(std::move(each));
      global_.progress("");
    };
    const auto best = [&] { return advise::decide(finding_.machine, finding_.program, all, fixed_).setting; };
    round(advise::memory_candidates(finding_.machine, finding_.program, fixed_), "memory");
    if (best().workers == 0) return all;
    round(advise::policy_candidates(best(), finding_.machine, fixed_), "policies");
    round(advise::worker_candidates(best(), finding_.machine, finding_.program, fixed_), "workers");
    return all;
  }

  // What the machine would give, booted so: for the table of modes alone.
  std::vector<advise::Predicted> predict_cache_mode(const advise::Predictor& predictor) {
    if (finding_.machine.kind(machine::MemoryKind::hbm) == nullptr || fixed_.tiers) return {};
    std::vector<advise::Setting> settings;
    for (const Allocation allocation : {Allocation::fast, Allocation::local}) {
      settings.push_back(finding_.advice->setting);
      settings.back().tiers = "ddr";
      settings.back().strategy = Strategy::ahead;
      settings.back().allocation = allocation;
      settings.back().cache_mode = true;
    }
    return predictor.predict(settings, [](std::size_t) {});
  }

  std::string why_nothing_runs() const {
    const auto& ranked = finding_.advice->ranked;
    return ranked.empty() ? "there is nothing to choose from" : "no setting can be run: " + ranked.front().failure;
  }

  // What the user, or the traced run, says of options that are not up for choice: simulations and trials have it.
  std::string kept_options() const {
    std::string text;
    for (const runtime::OptionInfo& info : runtime::option_table()) {
      if (!is_kept(info.name)) continue;
      const std::string* value = nullptr;
      if (!settings_.trace.empty() && is_simulated(info.name)) value = runs_.front().program.real.setting(info.name);
      if (value != nullptr && *value == info.initial) value = nullptr;
      for (const auto& [name, given] : global_.overrides) value = name == info.name ? &given : value;
      if (value != nullptr) text += fmt::format("--{} {} ", runtime::dashed(info.name), shell_word(*value));
    }
    return text;
  }

  std::string command_for(const advise::Setting& setting) const {
    return fmt::format("weir run {}{} {}", kept_options(), advise::command_options(setting),
                       settings_.program.empty() ? "./program" : command_line());
  }

  // `mode` is of weir run --memory; "": the program as it is.
  std::string command_for(const std::string& mode) const {
    return fmt::format("{}{}", mode.empty() ? "" : fmt::format("weir run --memory {} ", mode), command_line());
  }

  void note_on_trust() {
    if (finding_.agreement > 0)
      finding_.notes.push_back(
          fmt::format("the traced run, simulated, takes {:.2f} times as long as it took: how far to trust the rest; "
                      "--try runs what is close",
                      finding_.agreement));
    const advise::ProgramFacts& program = finding_.program;
    if (program.other_bytes > program.block_bytes && finding_.machine.kinds.size() > 1)
      finding_.notes.emplace_back(
          "most of what its tasks use is in no block, so that tiers do not hold it: make it blocks (docs/blocks.md), "
          "or place it by weir run --memory (docs/placing.md)");
  }

  // ---- Advice by memory alone ----

  void by_memory() {
    if (finding_.program.name.empty()) return;
    const int had = finding_.program.threads, threads = threads_on_machine();
    finding_.memory = advise::memory_rows(*machine_, finding_.program.peak_bytes, threads);
    if (threads > had) note_threads(had, threads);
    finding_.command = command_for(finding_.memory[advise::best_row(finding_.memory)].mode);
    if (finding_.memory.size() == 1)
      finding_.notes.emplace_back("one kind of memory in one place: there is nothing to place");
  }

  // Of a program that has run here. OMP_NUM_THREADS says what it is to have.
  int threads_on_machine() const {
    const int had = finding_.program.threads, cores = finding_.machine.cores;
    if (settings_.machine.machine.empty() || std::getenv("OMP_NUM_THREADS") != nullptr) return std::min(had, cores);
    return advise::threads_there(had, static_cast<int>(platform::this_thread_cpus().size()), cores);
  }

  void note_threads(int had, int threads) {
    const auto fewer = advise::memory_rows(*machine_, finding_.program.peak_bytes, had);
    const std::string& mode = fewer[advise::best_row(fewer)].mode;
    finding_.notes.push_back(
        fmt::format("it had {} here, as many as there are CPUs, and is taken to have {} there, as many as there are "
                    "cores; with {} it "
                    "would be best {}; OMP_NUM_THREADS, set to what it has there, decides",
                    report::counted(static_cast<std::uint64_t>(had), "thread"), threads, had,
                    mode.empty() ? "as the kernel does it" : "with --memory " + mode));
  }

  // ---- Trials ----

  int try_them() {
    if (finding_.advice) {
      for (const advise::Setting& setting :
           advise::worth_trying(*finding_.advice, static_cast<std::size_t>(settings_.most)))
        finding_.trials.push_back({.setting = setting, .memory = "", .seconds = {}, .failure = ""});
    } else {
      const std::size_t best = advise::best_row(finding_.memory);
      for (std::size_t i = 0; i < finding_.memory.size(); ++i) {
        advise::Trial trial{.setting = {}, .memory = finding_.memory[i].mode, .seconds = {}, .failure = ""};
        finding_.trials.insert(i == best ? finding_.trials.begin() : finding_.trials.end(), std::move(trial));
      }
    }
    run_trials(finding_.trials, subject_, settings_.rounds, finding_.advice.has_value(), global_);
    if (global_.ended_by != 0) return 128 + global_.ended_by;
    const auto won = advise::winner_of(finding_.trials);
    if (!won) return fail("no setting that was tried has run: " + finding_.trials.front().failure);
    const advise::Trial& winner = finding_.trials[*won];
    finding_.command = finding_.advice ? command_for(winner.setting) : command_for(winner.memory);
    return kDone;
  }

  const AdviseSettings& settings_;
  Global& global_;
  Subject subject_{{settings_.program}, KeptInput(STDIN_FILENO)};
  std::optional<Machine> machine_;
  advise::Fixed fixed_;
  std::list<TracedRun> runs_;  // stay where they are: a Predictor points to them
  std::vector<advise::Predicted> for_modes_;
  advise::Finding finding_;
};

}  // namespace

int advise_on(const AdviseSettings& settings, Global& global) { return Adviser(settings, global).run(); }

}  // namespace weir::tool
