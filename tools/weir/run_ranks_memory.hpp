// SPDX-License-Identifier: Apache-2.0

// weir run -n N --memory, --memkind: each rank's memory placed as that of one program, and said rank by rank.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "run_memkind.hpp"
#include "run_memory.hpp"
#include "verb.hpp"

namespace weir::tool {

class RanksMemory {
 public:
  // Without either option there is nothing to do. Fails as PlacedRun::prepare() and MemkindRun::prepare().
  base::Status prepare(const MemoryOptions& options, const std::vector<std::string>& words, std::uint32_t ranks);

  // What a rank's environment has in addition.
  std::vector<std::pair<std::string, std::string>> variables(std::uint32_t rank) const;
  // `start` starts the ranks on this thread, whose policy they inherit.
  base::Status with_policy(const std::function<void()>& start);
  // On standard error, and "memory" and "memkind" in `object`, an element a rank.
  void report(Json& object) const;

 private:
  std::vector<std::unique_ptr<PlacedRun>> placed_;    // by rank; empty: not asked for
  std::vector<std::unique_ptr<MemkindRun>> memkind_;  // the same
};

}  // namespace weir::tool
