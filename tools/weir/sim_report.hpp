// SPDX-License-Identifier: Apache-2.0

// What `weir sim` prints and adds to its JSON array.
#pragma once

#include <optional>
#include <string>

#include "global.hpp"
#include "sim/bound.hpp"
#include "sim/prediction.hpp"
#include "sim/program.hpp"
#include "sim/target.hpp"

namespace weir::tool {

// The least that has to be moved, and the least time.
struct SimBound {
  sim::Movement movement;
  double seconds = 0;
};

struct SimReport {
  std::string trace, machine;  // as they were named; "" for the machine: this one
  const Options& options;
  const sim::Program& program;
  const sim::Target& target;
  const sim::Prediction& prediction;
  bool as_traced = false;  // the same machine, workers, tiers and strategy: prediction and run are to agree
  std::optional<SimBound> bound;
};

void show(const SimReport& report, Global& global);

}  // namespace weir::tool
