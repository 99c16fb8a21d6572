// SPDX-License-Identifier: Apache-2.0

#include "bench/report/plan.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <iterator>

#include "base/joined.hpp"
#include "base/nearest.hpp"
#include "bench/tasks/task_graph.hpp"

namespace weir::bench {

namespace {

using base::Code;
using base::Status;
using Names = std::vector<std::string>;

constexpr int kMostWorkers = 1024;

// The patterns that the usual run leaves out.
constexpr std::array<std::string_view, 2> kUnusualPatterns = {"trivial", "all_to_all"};
constexpr std::string_view kSlowRuntime = "starpu";  // takes as long as all others together

void add_metg(std::vector<Bench>& all, std::string_view pattern) {
  const bool usual = std::find(kUnusualPatterns.begin(), kUnusualPatterns.end(), pattern) == kUnusualPatterns.end();
  all.push_back({fmt::format("{}{}", kMetgPrefix, pattern), fmt::format("METG(50 %) {}, us", pattern), 1000, 200,
                 Workers::few, usual});
  if (pattern == "trivial") return;  // names no memory
  all.push_back({fmt::format("{}{}{}", kMetgPrefix, pattern, kFreshSuffix),
                 fmt::format("METG(50 %) {}, fresh memory each step, us", pattern), 1000, 200, Workers::few, usual});
}

std::vector<Bench> make_benches() {
  std::vector<Bench> all = {{"independent", "independent tasks from one producer, ns per task", 400'000, 40'000},
                            {"chain", "chain of dependent tasks, ns per task", 200'000, 20'000},
                            {"forkjoin", "fork-join fib(30), ns per spawn", 30, 22},
                            {"wavefront", "wavefront, two dependences a task, ns per task", 160'000, 10'000},
                            {"bytes_per_task", "resident bytes per pending task", 1'000'000, 200'000, Workers::one}};
  for (const std::string_view pattern : kPatternNames) add_metg(all, pattern);
  for (const std::string_view pattern : {"trivial", "stencil_1d"}) {
    all.push_back({fmt::format("small_{}", pattern), fmt::format("tasks of 0.14 us, {}, ns per task", pattern), 200'000,
                   20'000, Workers::too_many, false});
  }
  return all;
}

// Takes "metg" and "small" for all benchmarks whose names begin so.
Names expanded(const std::string& list, const Names& known) {
  Names words;
  for (const std::string& word : split_list(list)) {
    if (word != "metg" && word != "small") {
      words.push_back(word);
      continue;
    }
    std::copy_if(known.begin(), known.end(), std::back_inserter(words),
                 [&](const std::string& name) { return name.starts_with(word + "_"); });
  }
  return words;
}

std::filesystem::path program_folder() {
  std::error_code failed;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
  return failed ? std::filesystem::path() : program.parent_path();
}

// Where the runners are relative to the program: in the build folder, and installed.
std::vector<std::filesystem::path> runner_folders(const std::string& folder) {
  if (!folder.empty()) return {folder};
  return {program_folder() / "../../bench/tasks", program_folder()};
}

}  // namespace

Names split_list(const std::string& list) {
  Names words(1);
  for (const char c : list) {
    if (c == ',') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

const std::vector<Bench>& benches() {
  static const std::vector<Bench> all = make_benches();
  return all;
}

const Names& runtime_names() {
  static const Names names = {"weir", "tbb", "taskflow", "libgomp", "libomp", "starpu", "serial"};
  return names;
}

base::Result<Names> chosen(const std::string& list, const Names& known, const std::string& what) {
  if (list == "all") return known;
  Names result;
  for (const std::string& word : split_list(list)) {
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      const std::string hint = base::suggestion(word, known);
      return Status{Code::bad_option,
                    fmt::format("there is no {} '{}'{}", what, word,
                                hint.empty() ? fmt::format("; there are {}", base::joined(known, ", ")) : hint)};
    }
    if (std::find(result.begin(), result.end(), word) == result.end()) result.push_back(word);
  }
  return result;
}

base::Result<std::vector<int>> chosen_workers(const std::string& list) {
  std::vector<int> result;
  for (const std::string& word : split_list(list)) {
    int value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || value < 1 || value > kMostWorkers) {
      return Status{Code::bad_option,
                    fmt::format("--workers takes numbers from 1 to {} between commas, not '{}'", kMostWorkers, word)};
    }
    if (std::find(result.begin(), result.end(), value) == result.end()) result.push_back(value);
  }
  return result;
}

Amount amount_of(Extent extent) {
  Amount amount;
  if (extent == Extent::quick) amount.rounds = 2;
  if (extent == Extent::full) amount.rounds = amount.repeat = 5;
  amount.quick = extent == Extent::quick;
  return amount;
}

std::vector<int> workers_of(const Bench& bench, const std::vector<int>& asked, int processors) {
  if (bench.workers == Workers::one) return {1};
  if (!asked.empty()) return asked;
  if (bench.workers == Workers::few) return {1, 2};
  return {processors, 2 * processors, 4 * processors};
}

base::Result<std::vector<Bench>> chosen_benches(const std::string& list, Extent extent) {
  Names known;
  for (const Bench& bench : benches()) known.push_back(bench.name);
  auto names = chosen(base::joined(expanded(list.empty() ? "all" : list, known), ","), known, "benchmark");
  if (!names) return names.status();
  std::vector<Bench> result;
  for (const Bench& bench : benches()) {
    if (list.empty() && extent != Extent::full && !bench.usual) continue;
    if (std::find(names->begin(), names->end(), bench.name) != names->end()) result.push_back(bench);
  }
  return result;
}

std::vector<Runner> find_runners(const std::string& folder) {
  for (const auto& candidate : runner_folders(folder)) {
    std::vector<Runner> found;
    for (const std::string& runtime : runtime_names()) {
      const auto path = (candidate / ("weir-bench-" + runtime)).lexically_normal();
      if (::access(path.c_str(), X_OK) == 0) found.push_back({runtime, path.string()});
    }
    if (!found.empty()) return found;
  }
  return {};
}

base::Result<std::vector<Runner>> chosen_runners(const std::string& list, const std::vector<Runner>& runners,
                                                 Extent extent) {
  const bool named = !list.empty() && list != "all";
  auto names = chosen(named ? list : "all", runtime_names(), "runtime");
  if (!names) return names.status();
  if (runners.empty())
    return Status{Code::not_found, "no weir-bench-* program beside this one; build the target weir_bench"};
  std::vector<Runner> result;
  for (const std::string& name : runtime_names()) {
    if (std::find(names->begin(), names->end(), name) == names->end()) continue;
    if (list.empty() && extent != Extent::full && name == kSlowRuntime) continue;
    const auto found = std::find_if(runners.begin(), runners.end(), [&](const Runner& r) { return r.runtime == name; });
    if (found != runners.end()) {
      result.push_back(*found);
    } else if (named) {
      return Status{Code::not_found,
                    fmt::format("runtime {} is not available: it was not found when Weir was built", name)};
    }
  }
  return result;
}

base::Result<Runner> runner_beside(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    return Status{
        Code::bad_option,
        fmt::format("--against takes NAME=PROGRAM, as in old=build/old/bench/tasks/weir-bench-weir, not '{}'", text)};
  }
  Runner runner{text.substr(0, equals), text.substr(equals + 1)};
  const Names& names = runtime_names();
  if (std::find(names.begin(), names.end(), runner.runtime) != names.end()) {
    return Status{Code::bad_option,
                  fmt::format("--against: '{}' is the name of a runtime; choose another", runner.runtime)};
  }
  if (::access(runner.path.c_str(), X_OK) != 0) {
    return Status{Code::bad_option, fmt::format("--against: {} is no program that can be run", runner.path)};
  }
  return runner;
}

}  // namespace weir::bench
