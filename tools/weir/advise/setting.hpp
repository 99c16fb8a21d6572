// SPDX-License-Identifier: Apache-2.0

// Setting: one way to run a program, as the options of `weir run` say it; and those that are worth a look. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts.hpp"
#include "weir/options.hpp"

namespace weir::tool::advise {

struct Setting {
  std::string tiers;  // "": all memory of the machine
  Allocation allocation = Allocation::fast;
  Strategy strategy = Strategy::ahead;
  Policy policy = Policy::near;
  Bind bind = Bind::core;
  int workers = 1;
  bool cache_mode = false;  // the machine booted so that fast memory caches the other: no option says that

  friend bool operator==(const Setting&, const Setting&) = default;
};

std::string text_of(Allocation allocation);
std::string text_of(Strategy strategy);
std::string text_of(Policy policy);
std::string text_of(Bind bind);

// "--tiers hbm,ddr --allocation local-fast --strategy model --workers 64": what `weir run` is to be told.
std::string command_options(const Setting& setting);
// How many of its parts are not the defaults of a runtime on that machine, and one more for a thread that moves blocks
// for each worker: of equals, the plainest is advised.
int unusual_parts(const Setting& setting, const MachineFacts& machine);

// What is not up for choice, since the user has said it.
struct Fixed {
  std::optional<std::string> tiers;
  std::optional<Allocation> allocation;
  std::optional<Strategy> strategy;
  std::optional<Policy> policy;
  std::optional<Bind> bind;
  int workers = 0;  // 0: not said
};

// Candidates come in three rounds, so that their number grows as the sum of what each part may be, not as the product.

// Memory: tiers, where blocks are placed, who moves them. With as many workers as the machine has cores for.
std::vector<Setting> memory_candidates(const MachineFacts& machine, const ProgramFacts& program, const Fixed& fixed);
// For the best of those: whom workers steal from.
std::vector<Setting> policy_candidates(const Setting& best, const MachineFacts& machine, const Fixed& fixed);
// For the best of those: how many workers, with each strategy that there is a choice of.
std::vector<Setting> worker_candidates(const Setting& best, const MachineFacts& machine, const ProgramFacts& program,
                                       const Fixed& fixed);

// What a worker's thread is to be pinned to, which no simulation tells, and why.
struct Binding {
  Bind bind = Bind::core;
  std::string why;
};
Binding binding_for(const MachineFacts& machine, int workers, const Fixed& fixed);

}  // namespace weir::tool::advise
