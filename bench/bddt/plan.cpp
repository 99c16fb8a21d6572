// SPDX-License-Identifier: Apache-2.0

#include "bench/bddt/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/bddt/sizes.hpp"
#include "bench/report/plan.hpp"
#include "platform/companion.hpp"

namespace weir::bench {
namespace {

using base::Code;
using base::Result;
using base::Status;

BddtRuntime runtime_of(const std::string& name, const std::string& program, const char* island_memory) {
  BddtRuntime runtime;
  runtime.name = name;
  if (const auto path = platform::find_companion("weir-bddt-" + program, "apps/bddt")) runtime.path = *path;
  if (island_memory != nullptr) runtime.variables = {{"WEIR_ISLAND_MEMORY", island_memory}};
  return runtime;
}

Result<std::vector<BddtRuntime>> chosen_runtimes(const std::string& list, const std::vector<BddtRuntime>& all) {
  std::vector<std::string> known;
  for (const BddtRuntime& runtime : all) known.push_back(runtime.name);
  const auto names = chosen(list.empty() ? "all" : list, known, "runtime");
  if (!names) return names.status();
  const bool named = !list.empty() && list != "all";
  std::vector<BddtRuntime> result;
  for (const BddtRuntime& runtime : all) {
    if (std::find(names->begin(), names->end(), runtime.name) == names->end()) continue;
    if (named && runtime.path.empty())
      return Status{Code::not_found, fmt::format("runtime {} was not there when Weir was built", runtime.name)};
    result.push_back(runtime);
  }
  return result;
}

std::vector<int> up_to(int processors) {
  std::vector<int> workers;
  for (int count = 1; count < processors; count *= 2) workers.push_back(count);
  workers.push_back(processors);
  return workers;
}

}  // namespace

std::vector<BddtRuntime> find_bddt_runtimes() {
  return {runtime_of("serial", "serial", nullptr),    runtime_of("weir", "weir", nullptr),
          runtime_of("island", "island", "coherent"), runtime_of("island-flush", "island", "flush"),
          runtime_of("libgomp", "libgomp", nullptr),  runtime_of("libomp", "libomp", nullptr),
          runtime_of("starpu", "starpu", nullptr)};
}

Result<BddtPlan> bddt_plan(const BddtRequest& request, const std::vector<BddtRuntime>& all) {
  const bool any = std::any_of(all.begin(), all.end(), [](const BddtRuntime& r) { return !r.path.empty(); });
  if (!any)
    return Status{Code::not_found,
                  "the five programs were not built, since FFTW was not there: install libfftw3-dev and build again"};
  BddtPlan plan;
  const auto list = [](const std::string& text, const char* otherwise) { return text.empty() ? otherwise : text; };
  const auto programs = chosen(list(request.programs, "all"), apps::bddt::program_names(), "program");
  if (!programs) return programs.status();
  const auto sizes = chosen(list(request.sizes, "thesis"), apps::bddt::size_names(), "size");
  if (!sizes) return sizes.status();
  const auto runtimes = chosen_runtimes(request.runtimes, all);
  if (!runtimes) return runtimes.status();
  const auto workers =
      request.workers.empty() ? Result<std::vector<int>>(up_to(request.processors)) : chosen_workers(request.workers);
  if (!workers) return workers.status();
  for (const BddtRuntime& runtime : *runtimes)
    (runtime.path.empty() ? plan.left_out : plan.runtimes).push_back(runtime);
  plan.programs = *programs;
  plan.sizes = *sizes;
  plan.workers = *workers;
  plan.amount = request.amount;
  return plan;
}

std::vector<std::string> bddt_command(const BddtRuntime& runtime, const std::string& program, const std::string& size,
                                      int workers, int runs, bool shares) {
  std::vector<std::string> words = {
      runtime.path, program, "--size", size, "--workers", std::to_string(workers), "--repeat", std::to_string(runs)};
  if (shares) words.emplace_back("--shares");
  return words;
}

}  // namespace weir::bench
