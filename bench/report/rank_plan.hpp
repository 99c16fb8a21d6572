// SPDX-License-Identifier: Apache-2.0

// What `weir bench tasks --ranks N` measures: task graphs by N processes, by Weir over each way that connects them and
// by programs that call an MPI themselves; and by as many workers in one process, which they are compared with.
//
// Pure, but for find_rank_runners().
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "bench/report/plan.hpp"

namespace weir::bench {

inline constexpr int kMostRanks = 64;

// All that can be measured: weir, in one process, is the first.
const std::vector<std::string>& rank_runtime_names();

// Those whose programs and launchers there are. `folder`: as in find_runners(), for all programs.
std::vector<Runner> find_rank_runners(int ranks, const std::string& folder);

// Those of `runners` that `list` names; "" and "all": every one. Fails with not_found when a named one is missing.
base::Result<std::vector<Runner>> chosen_rank_runners(const std::string& list, const std::vector<Runner>& runners);

// metg_PATTERN for the patterns in which something goes from column to column, cells used again. "": the usual ones,
// all with `full`; "metg" and "all": all of these. Fails with bad_option for what is not measured over ranks.
base::Result<std::vector<Bench>> chosen_rank_benches(const std::string& list, Extent extent);

// Workers of all ranks, of the numbers of each: "" is one each.
base::Result<std::vector<int>> rank_workers(const std::string& list, int ranks);

}  // namespace weir::bench
