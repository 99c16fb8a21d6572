// SPDX-License-Identifier: Apache-2.0

#include "advise_runs.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "live_progress.hpp"
#include "plan_progress.hpp"
#include "platform/start_thread.hpp"
#include "program_variables.hpp"
#include "run_memory.hpp"
#include "runtime/options.hpp"

namespace weir::tool {

namespace {

// Threads and memory of a process, as often as it is looked at, until it is no more. It begins before the process is
// there: a program that nobody can watch is not started.
class Watch {
 public:
  Watch() = default;
  ~Watch() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  base::Status begin() {
    auto thread = platform::try_start_thread("weir advise", [this] { work(); });
    if (!thread) return thread.status();
    thread_ = std::move(*thread);
    return base::Status::success();
  }
  void set(pid_t process) { process_ = process; }

  int threads() const { return threads_; }
  std::uint64_t bytes() const { return kib_ * 1024; }

 private:
  void work() {
    while (!stop_) {
      if (const pid_t process = process_; process != 0) look(fmt::format("/proc/{}/status", process));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  void look(const std::string& path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("Threads:")) threads_ = std::max(threads_.load(), std::atoi(line.c_str() + 8));
      if (line.starts_with("VmHWM:"))
        kib_ = std::max<std::uint64_t>(kib_, std::strtoull(line.c_str() + 6, nullptr, 10));
    }
  }

  std::atomic<pid_t> process_{0};  // none yet
  std::atomic<int> threads_{1};
  std::atomic<std::uint64_t> kib_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// Of the processes that this one has waited for, the one with most.
std::uint64_t most_of_children() {
  struct rusage use {};
  getrusage(RUSAGE_CHILDREN, &use);
  return static_cast<std::uint64_t>(use.ru_maxrss) * 1024;
}

// The user has asked for an end meanwhile: weir ends so, however the program has taken it.
bool is_interrupted(const ChildEnd& end, Global& global) {
  if (end.asked != 0) global.ended_by = end.asked;
  return end.asked != 0;
}

std::string how_it_ended(const ChildEnd& end) {
  if (end.asked != 0) return "interrupted";
  return end.signal != 0 ? fmt::format("a signal has ended it ({})", end.signal)
                         : fmt::format("it failed with exit status {}", end.status);
}

base::Result<Child> start_child(const std::vector<std::string>& words, const Child::Variables& variables,
                                ChildOutput output, KeptInput::Run& input) {
  platform::Command command{words, variables};
  command.in = input.number();
  command.out = file_for(output);
  auto child = Child::start(command);
  input.started();
  return child;
}

// It may have wanted what it did not get.
constexpr const char* kNoTerminal = "; it reads nothing from the terminal: give it what it reads, as < FILE";

// One run of a trial: its seconds, or why not.
base::Result<double> try_once(const advise::Trial& trial, Subject& program, bool traced, Global& global) {
  Child::Variables variables = traced ? variables_of(trial.setting, global) : program_variables(global);
  std::unique_ptr<PlacedRun> placed;
  if (!trial.memory.empty()) {
    auto prepared = PlacedRun::prepare({.mode = trial.memory, .from = ""}, program.words);
    if (!prepared) return prepared.status();
    placed = std::move(*prepared);
    for (auto& variable : placed->variables()) variables.push_back(std::move(variable));
  }
  KeptInput::Run input(program.input);
  if (!input.status()) return input.status();
  std::optional<base::Result<Child>> child;
  const auto start = [&] { child = start_child(program.words, variables, ChildOutput::nothing, input); };
  if (placed == nullptr)
    start();
  else if (const base::Status status = placed->with_policy(start); !status)
    return status;
  if (!*child) return child->status();
  const ChildEnd end = (*child)->wait();
  if (is_interrupted(end, global) || end.status != 0) return base::Status{base::Code::io_error, how_it_ended(end)};
  return end.seconds;
}

}  // namespace

Child::Variables variables_of(const advise::Setting& setting, const Global& global) {
  Child::Variables result = program_variables(global);
  const std::pair<const char*, std::string> own[] = {
      {"tiers", setting.tiers},
      {"allocation", advise::text_of(setting.allocation)},
      {"strategy", advise::text_of(setting.strategy)},
      {"policy", advise::text_of(setting.policy)},
      {"bind", advise::text_of(setting.bind)},
      {"workers", std::to_string(setting.workers)},
  };
  for (const auto& [name, value] : own)
    if (!value.empty()) result.emplace_back(runtime::variable(name), value);
  return result;
}

base::Result<LookedAt> look_at(Subject& program, const Child::Variables& variables, ChildOutput output,
                               Global& global) {
  Watch watch;
  if (base::Status begun = watch.begin(); !begun) return begun;
  KeptInput::Run input(program.input);
  if (!input.status()) return input.status();
  auto child = start_child(program.words, variables, output, input);
  if (!child) return child.status();
  watch.set(child->pid());
  LookedAt result;
  {
    const ProgramProgress progress(child->pid(), program.words.front(), global);
    result.end = child->wait();
    result.threads = watch.threads();
    result.peak_bytes = std::max(watch.bytes(), most_of_children());
  }
  if (is_interrupted(result.end, global) || result.end.status != 0)
    return base::Status{base::Code::io_error,
                        fmt::format("{}: {}; there is nothing to advise by{}", program.words.front(),
                                    how_it_ended(result.end), program.input.is_terminal() ? kNoTerminal : "")};
  return result;
}

void run_trials(std::vector<advise::Trial>& trials, Subject& program, int rounds, bool traced, Global& global) {
  PlanProgress progress(global);
  const std::size_t total = trials.size() * static_cast<std::size_t>(rounds);
  std::size_t done = 0;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < trials.size(); ++i, ++done) {
      advise::Trial& trial = trials[(i + static_cast<std::size_t>(round)) % trials.size()];
      if (!trial.failure.empty()) continue;
      progress.show(done, total, traced ? advise::command_options(trial.setting) : trial.memory);
      auto seconds = try_once(trial, program, traced, global);
      if (global.ended_by != 0) return;
      if (seconds)
        trial.seconds.push_back(*seconds);
      else
        trial.failure = seconds.status().message;
    }
  }
  global.progress("");
}

}  // namespace weir::tool
