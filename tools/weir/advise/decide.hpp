// SPDX-License-Identifier: Apache-2.0

// From what settings are predicted to take to one that is advised, and why. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "facts.hpp"
#include "setting.hpp"

namespace weir::tool::advise {

// What the simulator says of a setting.
struct Predicted {
  Setting setting;
  double seconds = 0;
  std::uint64_t moved = 0;  // bytes between tiers
  double data_wait_s = 0;   // of all workers
  std::string failure;      // not empty: it cannot be run so, and why
};

// One part of the setting that is advised, against the others.
struct Row {
  std::string value;
  double seconds = 0;  // the best with this value; 0: it cannot be run so
  std::string failure;
};
struct Choice {
  std::string part, value, why;
  std::vector<Row> rows;  // what it was chosen from, the best first; none where nothing was to be chosen
};

struct Advice {
  Setting setting;
  double seconds = 0;
  std::vector<Choice> choices;
  std::vector<Predicted> ranked;  // best first; those that cannot be run last
};

// Settings within so much of the best are as good: a simulation does not tell them apart.
inline constexpr double kTie = 0.02;

// Of settings that are as good as the best: the one with fewest unusual parts, then the one that moves fewest bytes.
// Empty `ranked` and workers 0 where none can be run.
Advice decide(const MachineFacts& machine, const ProgramFacts& program, std::vector<Predicted> predicted,
              const Fixed& fixed);

// At most so many settings that can be run: the advised one, the best of each strategy, then the best of the rest.
std::vector<Setting> worth_trying(const Advice& advice, std::size_t most);

}  // namespace weir::tool::advise
