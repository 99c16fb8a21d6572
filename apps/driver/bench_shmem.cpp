// SPDX-License-Identifier: Apache-2.0

// weir bench shmem: OpenSHMEM's operations in Weir and in other libraries, side by side.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "bench/report/measure.hpp"
#include "bench/report/render.hpp"
#include "bench/shmem/measure.hpp"
#include "bench/shmem/render.hpp"
#include "demos/bench_shmem_options.hpp"
#include "json.hpp"
#include "plan_progress.hpp"
#include "platform/temporary_name.hpp"
#include "plotting.hpp"

namespace weir::tool {
namespace {

using base::Code;
using base::Result;
using base::Status;

// A folder that is gone at the end, or when a signal ends the program, for what is compiled.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "weir-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) return;
    folder_ = pattern;
    if (auto known = platform::TemporaryName::of(folder_)) known_ = std::move(*known);
  }
  ~Scratch() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  platform::TemporaryName known_;
};

Result<std::vector<bench::Library>> libraries_of(const ShmemSettings& settings, const Scratch& scratch) {
  if (Status status = bench::check_launchers(settings.compilers, settings.launchers); !status) return status;
  std::vector<bench::Library> all = bench::find_libraries();
  for (const std::string& compiler : settings.compilers) {
    if (scratch.folder().empty()) return Status{Code::io_error, "--cc: no folder can be made for what is compiled"};
    auto library = bench::compile_library(compiler, settings.launchers, scratch.folder());
    if (!library) return library.status();
    all.push_back(std::move(*library));
  }
  return bench::chosen_libraries(settings.libraries, all);
}

Result<bench::ShmemPlan> plan_of(const ShmemSettings& settings, const Scratch& scratch) {
  auto benches = bench::chosen_shmem_benches(settings.benches);
  if (!benches) return benches.status();
  auto ranks = bench::chosen_ranks(settings.ranks);
  if (!ranks) return ranks.status();
  auto libraries = libraries_of(settings, scratch);
  if (!libraries) return libraries.status();
  bench::ShmemAmount amount = settings.quick ? bench::ShmemAmount::quick() : bench::ShmemAmount{};
  if (settings.rounds > 0) amount.rounds = settings.rounds;
  amount.timeout_s = settings.timeout_s;
  bench::ShmemPlan plan{std::move(*benches), std::move(*libraries), std::move(*ranks), amount};
  if (plan.run_count() == 0)
    return Status{Code::bad_option, "--benches has no collective, and --pes not 2: there is nothing to measure"};
  return plan;
}

Json object_of(const bench::ShmemPlan& plan, const bench::AtPlace& at) {
  return {{"place", bench::to_string(at.place)},
          {"over_best", at.value},
          {"best", plan.libraries[at.best].name},
          {"processes", at.own},
          {"processes_of_best", at.others}};
}

Json object_of(const bench::ShmemPlan& plan, const bench::ShmemReport& report, const bench::ShmemRow& row,
               std::size_t library) {
  const bench::Summary summary = bench::summary_of(row.samples[library]);
  Json object = {{"bench", row.bench.name},
                 {"bytes", row.bytes},
                 {"pes", row.ranks},
                 {"library", plan.libraries[library].name},
                 {"value", summary.median},
                 {"unit", row.unit},
                 {"min", summary.least},
                 {"max", summary.most},
                 {"rounds", row.samples[library].size()}};
  const auto per_rank = bench::per_rank(report, row, library);
  object["per_pe_over_two"] = per_rank ? Json(*per_rank) : Json();
  double over = 0;  // the best of the others, or memcpy
  Json places = Json::array();
  if (plan.libraries[library].name == "weir") {
    if (const auto reached = bench::reached(report, row)) {
      over = reached->value;
      for (const bench::AtPlace& at : reached->places) places.push_back(object_of(plan, at));
    }
  }
  const bool of_memcpy = row.bench.compared == bench::Compared::with_memcpy;
  object["over_best"] = over > 0 && !of_memcpy ? Json(over) : Json();
  object["over_memcpy"] = over > 0 && of_memcpy ? Json(over) : Json();
  object["places"] = std::move(places);
  return object;
}

void add_objects(const bench::ShmemPlan& plan, const bench::ShmemReport& report, Global& global) {
  for (const bench::ShmemRow& row : report.rows)
    for (std::size_t i = 0; i < plan.libraries.size(); ++i)
      if (row.median(i)) global.add(object_of(plan, report, row, i));
  for (const bench::ShmemTrouble& trouble : report.troubles)
    global.add(Json{{"library", plan.libraries[trouble.library].name},
                    {"pes", trouble.ranks > 0 ? Json(trouble.ranks) : Json()},
                    {"after_all", trouble.after_all},
                    {"error", trouble.text}});
}

// Others may fail or be missing; Weir may not.
int judge(const bench::ShmemPlan& plan, const bench::ShmemReport& report) {
  for (const bench::ShmemTrouble& trouble : report.troubles)
    if (plan.libraries[trouble.library].name == "weir") return fail(fmt::format("weir: {}", trouble.text));
  if (!report.rows.empty()) return kDone;
  return fail(report.troubles.empty() ? "nothing was measured"
                                      : "nothing was measured; first: " + report.troubles.front().text);
}

bench::ShmemReport measured(const bench::ShmemPlan& plan, Global& global) {
  PlanProgress progress(global);
  return bench::measure_shmem(plan, [&](const bench::Progress& p) { progress.show(p.done, p.total, p.next); });
}

}  // namespace

int run_bench_shmem(const ShmemSettings& settings, Global& global) {
  const Scratch scratch;
  const auto plan = plan_of(settings, scratch);
  if (!plan) return fail(plan.status());
  auto plot = Plot::create(settings.plot);
  if (!plot) return fail(plot.status());
  global.print("{}{}\n", bench::machine_note(), bench::shmem_plan_text(*plan));
  const auto report = measured(*plan, global);
  add_objects(*plan, report, global);
  global.print("{}", bench::shmem_table(*plan, report));
  const int status = judge(*plan, report);
  if (!*plot) return status;
  const auto drawn = (*plot)->draw(bench::shmem_plot(*plan, report));
  return drawn ? status : fail(drawn);
}

}  // namespace weir::tool
