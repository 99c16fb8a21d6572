// SPDX-License-Identifier: Apache-2.0

// What weir bench tasks and weir bench tiers are asked, and the text that explains it; the verb that holds all of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/report/plan.hpp"
#include "bench/tiers/measure.hpp"
#include "demos/bench_bddt_options.hpp"
#include "demos/bench_prk_options.hpp"
#include "demos/bench_shmem_options.hpp"
#include "verb.hpp"

namespace weir::tool {

struct TasksSettings {
  std::string benches, runtimes, workers;  // "": those of the extent
  std::vector<std::string> beside;
  std::string runners;
  std::string plot;
  bool quick = false, full = false;
  int ranks = 0;               // 0: in one process
  int rounds = 0, repeat = 0;  // 0: as many as the extent has
  bench::Amount amount;

  bench::Extent extent() const {
    return full ? bench::Extent::full : quick ? bench::Extent::quick : bench::Extent::usual;
  }
};

struct TiersSettings {
  bench::TiersRequest request;
  bench::TiersAmount amount;
  std::string budget, ratios;  // "": as for all that is not asked for
  bool full = false;
  std::string order = "reuse";
  std::string plot;
};

// What the verbs do.
int run_tasks(const TasksSettings& settings, Global& global);
int run_bench_tiers(TiersSettings settings, Global& global);

// The verb `bench`, which holds all.
struct BenchRuns {
  std::function<int(const TasksSettings&, Global&)> tasks;
  std::function<int(const TiersSettings&, Global&)> tiers;
  std::function<int(const ShmemSettings&, Global&)> shmem;
  std::function<int(const BddtSettings&, Global&)> bddt;
  std::function<int(const PrkSettings&, Global&)> prk;
};
struct BenchVerbs {
  CLI::App &tasks, &tiers, &shmem, &bddt, &prk;
};
BenchVerbs add_bench(CLI::App& app, Global& global, BenchRuns runs);

}  // namespace weir::tool
