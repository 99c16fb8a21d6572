// SPDX-License-Identifier: Apache-2.0

// The decision table of the field guide to memory modes (docs/field-guide.md) for one machine and one program. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decide.hpp"
#include "facts.hpp"

namespace weir::tool::advise {

struct ModeRow {
  std::string mode;     // "DDR only", "lean", "cache", "flat"
  std::string changes;  // to the program
  Bytes capacity;
  double gb_per_s = 0, latency_ns = 0;
  std::optional<double> seconds;  // predicted, the best setting
  std::string here;               // what it takes on this machine, or why there is no such mode
  bool is_there = false;
};

// Four rows. `predicted` may be empty.
std::vector<ModeRow> mode_rows(const MachineFacts& machine, const ProgramFacts& program,
                               const std::vector<Predicted>& predicted);

}  // namespace weir::tool::advise
