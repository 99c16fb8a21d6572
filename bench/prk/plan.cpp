// SPDX-License-Identifier: Apache-2.0

#include "bench/prk/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/report/plan.hpp"
#include "platform/companion.hpp"

namespace weir::bench {
namespace {

using base::Result;
using base::Status;

template <class List, class Name>
std::vector<std::string> names_of(const List& list, Name name) {
  std::vector<std::string> names;
  for (const auto& each : list) {
    if (std::find(names.begin(), names.end(), name(each)) == names.end()) names.push_back(name(each));
  }
  return names;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "stencil" is both of its tiles.
Result<std::vector<PrkBench>> chosen_kernels(const std::string& list) {
  if (list.empty()) return prk_benches();
  auto known = names_of(prk_benches(), [](const PrkBench& bench) { return bench.name; });
  known.push_back("stencil");
  const auto words = chosen(list, known, "kernel");
  if (!words) return words.status();
  std::vector<PrkBench> benches;
  for (const PrkBench& bench : prk_benches()) {
    if (has(*words, bench.name) || has(*words, bench.kernel)) benches.push_back(bench);
  }
  return benches;
}

Result<std::vector<PrkContender>> chosen_contenders(const std::string& list, const std::vector<PrkContender>& found) {
  const auto runtime = [](const PrkContender& contender) { return contender.runtime; };
  if (list.empty()) {
    if (found.empty()) return Status{base::Code::not_found, "no runner (weir-prk-weir) is beside this program"};
    return found;
  }
  const auto words = chosen(list, names_of(prk_contenders(), runtime), "runtime");
  if (!words) return words.status();
  const auto there = names_of(found, runtime);
  for (const std::string& word : *words) {
    if (list != "all" && !has(there, word))
      return Status{base::Code::not_found, fmt::format("{} was not there when this program was built", word)};
  }
  std::vector<PrkContender> contenders;
  for (const PrkContender& contender : found) {
    if (has(*words, contender.runtime)) contenders.push_back(contender);
  }
  return contenders;
}

Result<std::vector<PrkMemory>> chosen_memories(const std::string& list, const machine::Machine& machine) {
  if (list.empty()) return std::vector<PrkMemory>{{}};
  std::vector<std::string> known;
  for (const machine::MemoryNode& node : machine.memory_nodes()) {
    if (node.allowed) known.push_back(node.name);
  }
  const auto words = chosen(list, known, "memory node");
  if (!words) return words.status();
  std::vector<PrkMemory> memories;
  for (const machine::MemoryNode& node : machine.memory_nodes()) {
    if (node.allowed && has(*words, node.name)) memories.push_back({node.name, node.os_index});
  }
  return memories;
}

}  // namespace

const std::vector<PrkBench>& prk_benches() {
  static const std::vector<PrkBench> benches = {{"nstream", "nstream", 8 << 20, 1 << 18, 64, 20, true},
                                                {"stencil-64", "stencil", 2048, 256, 64, 20, true},
                                                {"stencil-32", "stencil", 2048, 256, 32, 20, true},
                                                {"transpose", "transpose", 2048, 256, 32, 15, true},
                                                {"p2p", "p2p", 2048, 256, 64, 30, false},
                                                {"dgemm", "dgemm", 1024, 128, 64, 2, false}};
  return benches;
}

const std::vector<PrkContender>& prk_contenders() {
  static const std::vector<PrkContender> all = {
      {"weir", "tasks", ""},          {"weir", "tasks-10", ""},  {"weir", "flow", ""},
      {"weir", "loops", ""},          {"weir", "affinity", ""},  {"weir", "squares", ""},
      {"serial", "loops", ""},        {"libgomp", "loops", ""},  {"libgomp", "taskloop-1", ""},
      {"libgomp", "taskloop-10", ""}, {"libgomp", "depend", ""}, {"libgomp", "depend-10", ""},
      {"libgomp", "flow", ""},        {"libomp", "loops", ""},   {"libomp", "taskloop-1", ""},
      {"libomp", "taskloop-10", ""},  {"libomp", "depend", ""},  {"libomp", "depend-10", ""},
      {"libomp", "flow", ""},         {"tbb", "auto", ""},       {"tbb", "simple", ""},
      {"tbb", "static", ""},          {"tbb", "affinity", ""}};
  return all;
}

std::vector<PrkContender> find_prk_contenders() {
  std::vector<PrkContender> found;
  for (PrkContender contender : prk_contenders()) {
    const auto path = platform::find_companion("weir-prk-" + contender.runtime, "bench/prk");
    if (!path) continue;
    contender.path = *path;
    found.push_back(contender);
  }
  return found;
}

Result<PrkPlan> plan_prk(const PrkRequest& request, const machine::Machine& machine,
                         const std::vector<PrkContender>& found) {
  PrkPlan plan;
  auto benches = chosen_kernels(request.kernels);
  if (!benches) return benches.status();
  plan.benches = *benches;
  auto contenders = chosen_contenders(request.runtimes, found);
  if (!contenders) return contenders.status();
  plan.contenders = *contenders;
  auto memories = chosen_memories(request.memory, machine);
  if (!memories) return memories.status();
  plan.memories = *memories;
  plan.stores = {"temporal", "non-temporal"};
  if (!request.stores.empty() && request.stores != "both") plan.stores = {request.stores};
  const bool measures = std::any_of(plan.benches.begin(), plan.benches.end(), [&](const PrkBench& bench) {
    return bench.non_temporal || plan.stores != std::vector<std::string>{"non-temporal"};
  });
  if (!measures)
    return Status{base::Code::bad_option, fmt::format("--kernels {} --stores non-temporal: nothing to measure, as it "
                                                      "reads at once what it has written: use --stores temporal",
                                                      request.kernels)};
  plan.workers = request.workers;
  if (plan.workers.empty()) plan.workers = {machine.default_worker_count()};
  plan.quick = request.quick;
  plan.rounds = request.rounds;
  plan.timeout_s = request.timeout_s;
  return plan;
}

}  // namespace weir::bench
