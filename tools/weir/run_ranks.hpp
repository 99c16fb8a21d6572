// SPDX-License-Identifier: Apache-2.0

// weir run -n N PROGRAM: a program as the ranks of a job, on this host by Weir's own launcher, on several by an mpirun.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "run_memory.hpp"
#include "run_report.hpp"
#include "verb.hpp"

namespace weir::tool {

struct RanksOptions {
  int ranks = 0;  // 0: one process that is no rank
  bool label = false, shows_binding = false;
  std::string bind;   // "": cores on this host, and as the mpirun does it on several
  std::string hosts;  // file
};

// Adds them to a verb that takes a program.
void add_ranks_options(CLI::App& verb, RanksOptions& options);
// What is asked of ranks although there are none.
base::Status check_ranks_options(const RanksOptions& options);

// Runs `words` so, the memory of each rank where `memory` says. `hint`: what to say behind the name of a program that
// is not there. A report that is asked for is of all ranks together: the traces that it needs go with it,
// unless --trace names them.
int run_ranks(const std::vector<std::string>& words, const RanksOptions& options, const MemoryOptions& memory,
              const ReportAsked& report, const std::string& hint, Global& global);

}  // namespace weir::tool
