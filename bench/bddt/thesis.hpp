// SPDX-License-Identifier: Apache-2.0

// What the thesis on BDDT-SCC says of its five programs on the Single-chip Cloud Computer, to stand beside what is
// measured here. Its figures 4.3 to 4.5 are pictures; these are the numbers of its text. Pure.
#pragma once

#include <string>
#include <vector>

namespace weir::bench {

struct ThesisProgram {
  std::string program;
  double speedup = 0;        // over serial with all 43 workers; 0: not said
  int best_workers = 0;      // from there on more workers gain nothing
  int master_limits_at = 0;  // workers for which the master is too slow; 0: not said
};

inline constexpr int kThesisWorkers = 43;

const std::vector<ThesisProgram>& thesis_programs();

// One line: what is said of the program, with where it comes from.
std::string thesis_text(const std::string& program);

}  // namespace weir::bench
