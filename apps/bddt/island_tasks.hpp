// SPDX-License-Identifier: Apache-2.0

// Weir on islands: worker processes without coherent memory, and a master beside them that makes the tasks.
#pragma once

#include <string>

#include "apps/bddt/weir_tasks.hpp"
#include "weir/island.hpp"

namespace weir::apps::bddt {

class IslandTasks {
 public:
  // Options of the environment, but for the number of workers: WEIR_ISLAND_MEMORY says how memory is kept coherent.
  explicit IslandTasks(int workers) : master_(options_of(workers)) {}
  static std::string about() { return "Weir, islands: a master beside the workers"; }

  template <class T>
  WatchedArray<T> array(std::size_t rows, std::size_t cols, std::size_t block_rows, std::size_t block_cols) {
    return {nullptr, master_.allocate<T>(rows * cols), rows, cols, block_rows, block_cols};
  }
  template <class F, class... Items>
  void task(const char* name, F function, const Items&... items) {
    master_.spawn(footprint_of(items)..., weir::name(name), function);
  }
  template <class Body>
  void run(Body&& body) {
    body();
    master_.wait();
  }
  void begin_shares() { before_ = master_.statistics(); }
  double analysis(double seconds, double /*making*/) const {
    return seconds - (master_.statistics().master_idle_s - before_.master_idle_s);
  }
  std::vector<Share> shares() const {
    const island::Statistics now = master_.statistics();
    std::vector<Share> all;
    for (std::size_t i = 0; i < now.workers.size(); ++i) {
      const island::WorkerStatistics &from = before_.workers[i], &to = now.workers[i];
      all.push_back({to.running_s - from.running_s, to.staging_s - from.staging_s});
    }
    return all;
  }

 private:
  static Options options_of(int workers) {
    Options options = Options::from_environment();
    options.workers = workers;
    return options;
  }

  island::Master master_;
  island::Statistics before_;
};

}  // namespace weir::apps::bddt
