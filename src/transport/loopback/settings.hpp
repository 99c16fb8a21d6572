// SPDX-License-Identifier: Apache-2.0

// What a loopback world is asked to be, and how a run of it has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"

namespace weir::transport::loopback {

struct Settings {
  std::uint32_t ranks = 2;
  std::uint64_t seed = 1;
  std::uint32_t ranks_per_host = 1;  // those of a host are neighbours: they map one another's memory
  std::size_t most_on_way = 16;      // messages from one rank to another, before send() waits
  // This rank is lost after so many turns.
  struct Loss {
    Rank rank{};
    std::uint64_t after = 0;
  };
  std::optional<Loss> loss{};
  std::uint64_t most_turns = 10'000'000;  // a run that takes more has failed
};

// How a run has ended.
struct Outcome {
  std::vector<std::string> failures;  // one for each rank that has failed, in the order in which they did
  std::optional<int> aborted;         // the status
  std::uint64_t turns = 0;
  std::uint64_t digest = 0;  // of all decisions: equal for equal runs
};

}  // namespace weir::transport::loopback
