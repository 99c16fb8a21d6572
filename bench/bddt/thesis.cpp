// SPDX-License-Identifier: Apache-2.0

#include "bench/bddt/thesis.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weir::bench {

const std::vector<ThesisProgram>& thesis_programs() {
  static const std::vector<ThesisProgram> all = {
      {"blackscholes", 16, kThesisWorkers, 0},
      {"matmul", 33, kThesisWorkers, 0},
      {"fft", 0, 16, 10},
      {"jacobi", 0, 22, 13},
      {"cholesky", 0, 22, 3},
  };
  return all;
}

std::string thesis_text(const std::string& program) {
  const auto& all = thesis_programs();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const ThesisProgram& each) { return each.program == program; });
  if (found == all.end()) return "";
  if (found->speedup > 0)
    return fmt::format("thesis (chip of 48 cores, chapter 4.3): {:g}x serial with {} workers", found->speedup,
                       kThesisWorkers);
  return fmt::format("thesis (chip of 48 cores, chapter 4.3): fastest from {} workers on; the master limits from {} on",
                     found->best_workers, found->master_limits_at);
}

}  // namespace weir::bench
