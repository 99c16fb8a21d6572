// SPDX-License-Identifier: Apache-2.0

// Where a job stands: which PE waits for which, who is at the root of it, and a circle if there is one. Pure.
#pragma once

#include <vector>

#include "job_view.hpp"

namespace weir::tool {

struct Root {
  int pe = 0;
  std::vector<int> waiters;  // PEs that cannot go on before it, directly or not
};

struct Stand {
  std::vector<std::vector<int>> waits_for;  // of each PE in JobView::pes: numbers of PEs, rising
  std::vector<Root> roots;                  // most waiters first
  std::vector<int> cycle;                   // each waits for the next, the last for the first; shortest found
};

Stand stand_of(const JobView& job);

}  // namespace weir::tool
