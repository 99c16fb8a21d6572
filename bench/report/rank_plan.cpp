// SPDX-License-Identifier: Apache-2.0

#include "bench/report/rank_plan.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "platform/companion.hpp"

namespace weir::bench {

namespace {

using base::Code;
using base::Result;
using base::Status;
using Words = std::vector<std::string>;

struct Kind {
  const char* runtime;
  const char* program;
  const char* launcher;  // "weir", "openmpi" or "mpich"
  const char* form;      // "": the program has one
};

constexpr Kind kKinds[] = {
    {"ranks-shm", "weir-bench-ranks", "weir", ""},
    {"ranks-openmpi", "weir-bench-ranks", "openmpi", ""},
    {"ranks-mpich", "weir-bench-ranks", "mpich", ""},
    {"mpi-openmpi", "weir-bench-mpi-openmpi", "openmpi", "plain"},
    {"mpi-mpich", "weir-bench-mpi-mpich", "mpich", "plain"},
    {"mpi+omp-openmpi", "weir-bench-mpi-openmpi", "openmpi", "openmp"},
    {"mpi+omp-mpich", "weir-bench-mpi-mpich", "mpich", "openmp"},
    {"mpi+weir-openmpi", "weir-bench-mpi-openmpi", "openmpi", "weir"},
    {"mpi+weir-mpich", "weir-bench-mpi-mpich", "mpich", "weir"},
};

std::string companion(const std::string& name, const char* build_folder) {
  const auto found = platform::find_companion(name, build_folder);
  return found ? *found : "";
}

// Empty: there is none. Open MPI refuses root without being asked twice, and more ranks than cores.
Words launcher_of(const std::string& name, int ranks) {
  const std::string count = std::to_string(ranks);
  if (name == "weir") {
    std::string weir = companion("weir", "tools/weir");
    if (weir.empty()) weir = companion("../../bin/weir", "tools/weir");  // installed
    return weir.empty() ? Words{} : Words{weir, "run", "-n", count};
  }
  const std::string program = platform::found_on_path(name == "openmpi" ? "mpirun.openmpi" : "mpiexec.hydra");
  if (program.empty()) return {};
  if (name == "mpich") return {program, "-bind-to", "none", "-n", count};
  Words words = {program, "--oversubscribe", "--bind-to", "none", "-n", count};
  if (::geteuid() == 0) words.emplace_back("--allow-run-as-root");
  return words;
}

std::string program_of(const Kind& kind, const std::string& folder) {
  if (folder.empty()) return companion(kind.program, "bench/ranks");
  std::string path = folder + "/" + kind.program;
  return ::access(path.c_str(), X_OK) == 0 ? path : "";
}

}  // namespace

const std::vector<std::string>& rank_runtime_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {"weir"};
    std::transform(std::begin(kKinds), std::end(kKinds), std::back_inserter(all),
                   [](const Kind& k) { return k.runtime; });
    return all;
  }();
  return names;
}

std::vector<Runner> find_rank_runners(int ranks, const std::string& folder) {
  std::vector<Runner> found;
  for (const Runner& runner : find_runners(folder))
    if (runner.runtime == "weir") found.push_back(runner);
  for (const Kind& kind : kKinds) {
    const std::string program = program_of(kind, folder);
    const Words launcher = launcher_of(kind.launcher, ranks);
    if (program.empty() || launcher.empty()) continue;
    found.push_back({kind.runtime, program, ranks, launcher, *kind.form == 0 ? Words{} : Words{kind.form}});
  }
  return found;
}

Result<std::vector<Runner>> chosen_rank_runners(const std::string& list, const std::vector<Runner>& runners) {
  const bool named = !list.empty() && list != "all";
  const auto names = chosen(named ? list : "all", rank_runtime_names(), "runtime over ranks");
  if (!names) return names.status();
  std::vector<Runner> result;
  for (const std::string& name : *names) {
    const auto found = std::find_if(runners.begin(), runners.end(), [&](const Runner& r) { return r.runtime == name; });
    if (found != runners.end()) {
      result.push_back(*found);
    } else if (named) {
      return Status{Code::not_found, fmt::format("{} is not available: its MPI was not found when Weir was built, or "
                                                 "has no launcher on PATH (mpirun.openmpi, mpiexec.hydra)",
                                                 name)};
    }
  }
  if (result.empty())
    return Status{Code::not_found, "no weir-bench-* program beside this one; build the target weir_bench"};
  return result;
}

Result<std::vector<Bench>> chosen_rank_benches(const std::string& list, Extent extent) {
  std::vector<std::string> known;
  std::vector<Bench> all;
  for (const Bench& bench : benches()) {
    const bool moves = bench.name.starts_with(kMetgPrefix) && !bench.name.ends_with(kFreshSuffix) &&
                       bench.name != std::string(kMetgPrefix) + "trivial";
    if (!moves) continue;
    known.push_back(bench.name);
    all.push_back(bench);
  }
  const bool every = list.empty() || list == "metg";
  const auto names = chosen(every ? "all" : list, known, "benchmark over ranks");
  if (!names) return names.status();
  std::vector<Bench> result;
  for (const Bench& bench : all) {
    if (list.empty() && extent != Extent::full && !bench.usual) continue;
    if (std::find(names->begin(), names->end(), bench.name) != names->end()) result.push_back(bench);
  }
  return result;
}

Result<std::vector<int>> rank_workers(const std::string& list, int ranks) {
  auto workers = chosen_workers(list.empty() ? "1" : list);
  if (!workers) return workers.status();
  for (int& count : *workers) count *= ranks;
  return workers;
}

}  // namespace weir::bench
