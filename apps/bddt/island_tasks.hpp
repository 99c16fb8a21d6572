// SPDX-License-Identifier: Apache-2.0

// Weir on islands: processes without coherent memory, one of which is the master, that makes the tasks and, while it
// waits, runs some, too, as a thread that spawns does. One worker has a master besides it that runs none.
#pragma once

#include <algorithm>
#include <string>

#include "apps/bddt/weir_tasks.hpp"
#include "weir/island.hpp"

namespace weir::apps::bddt {

class IslandTasks {
 public:
  // Options of the environment, but for the number of workers: WEIR_ISLAND_MEMORY says how memory is kept coherent.
  explicit IslandTasks(int workers)
      : takes_part_(workers > 1), master_(options_of(workers), master_options_of(workers)) {}
  static std::string about() { return "Weir, islands: the master is one of the workers"; }

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
    const island::Statistics now = master_.statistics();
    const Share own = share(before_.master, now.master);
    return seconds - (now.master_idle_s - before_.master_idle_s) - own.application - own.flush;
  }
  std::vector<Share> shares() const {
    const island::Statistics now = master_.statistics();
    std::vector<Share> all;
    if (takes_part_) all.push_back(share(before_.master, now.master));
    for (std::size_t i = 0; i < now.workers.size(); ++i) all.push_back(share(before_.workers[i], now.workers[i]));
    return all;
  }

 private:
  static Options options_of(int workers) {
    Options options = Options::from_environment();
    options.workers = std::max(workers - 1, 1);
    return options;
  }
  static island::MasterOptions master_options_of(int workers) {
    island::MasterOptions own;
    own.runs_when = workers > 1 ? 2 : 0;
    return own;
  }
  static Share share(const island::WorkerStatistics& from, const island::WorkerStatistics& to) {
    return {to.running_s - from.running_s, to.staging_s - from.staging_s};
  }

  bool takes_part_;  // the master, as a worker
  island::Master master_;
  island::Statistics before_;
};

}  // namespace weir::apps::bddt
