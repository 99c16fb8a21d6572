// SPDX-License-Identifier: Apache-2.0

// What `weir bench bddt` measures: programs, sizes, runtimes, numbers of workers, and how much of each.
//
// Pure, but for find_bddt_runtimes(), which looks for executables.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace weir::bench {

struct BddtRuntime {
  std::string name;
  std::string path;                                            // "": it is not there
  std::vector<std::pair<std::string, std::string>> variables;  // of its environment

  bool is_serial() const { return name == "serial"; }
  bool is_island() const { return name.starts_with("island"); }
  // What makes the tasks is none of the workers.
  bool has_master_beside(int workers) const { return name == "starpu" || (is_island() && workers == 1); }
};

// serial, weir, island, island-flush, libgomp, libomp, starpu: also those that are not there.
std::vector<BddtRuntime> find_bddt_runtimes();

struct BddtAmount {
  int rounds = 3;          // processes of each measurement, which take turns
  int repeat = 3;          // runs of each process that count, the first one does not
  double timeout_s = 120;  // of each process
};

struct BddtPlan {
  std::vector<std::string> programs, sizes;
  std::vector<BddtRuntime> runtimes;
  std::vector<BddtRuntime> left_out;  // that are not there
  std::vector<int> workers;
  BddtAmount amount;
};

struct BddtRequest {
  std::string programs, sizes, runtimes, workers;  // lists; "": all, thesis, all that there are, 1 to `processors`
  int processors = 1;
  BddtAmount amount;
};

// bad_option names a word that is none; not_found when a runtime that is named is not there, or none of Weir's is.
base::Result<BddtPlan> bddt_plan(const BddtRequest& request, const std::vector<BddtRuntime>& all);

// The words of one process: so many runs, with the times of tasks or without.
std::vector<std::string> bddt_command(const BddtRuntime& runtime, const std::string& program, const std::string& size,
                                      int workers, int runs, bool shares);

}  // namespace weir::bench
