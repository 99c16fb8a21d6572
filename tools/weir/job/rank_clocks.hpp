// SPDX-License-Identifier: Apache-2.0

// How far the clocks of hosts have to be moved so that no message comes before it was sent. What ranks have found of
// each other's clocks is wrong by up to half of what a question and its answer took, and on a busy host that is longer
// than a message. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "report/trace.hpp"

namespace weir::tool::job {

// Of all messages from one host to another, numbers from 0: the least time from when one was sent to when it came,
// which is below 0 when it came before.
struct ShortestWay {
  std::size_t from = 0, to = 0;
  report::Ns ns = 0;
};

// What is to be added to the times of each of `hosts`: 0 or less, as near to 0 as can be. All 0 when no clocks let
// every message come after it was sent: as when a clock runs at another speed than the others. A system of difference
// constraints, by Bellman and Ford: hosts * ways steps.
std::vector<report::Ns> clock_moves(std::size_t hosts, std::span<const ShortestWay> ways);

}  // namespace weir::tool::job
