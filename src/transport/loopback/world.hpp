// SPDX-License-Identifier: Apache-2.0

// World: up to a thousand ranks in one process, each with a transport, for tests of protocols and for simulation.
//
// run() gives each rank a thread; they take turns (turns.hpp), and what they send and put arrives late and in another
// order, as far as the contract allows (network.hpp). All decisions follow from the seed: a run with the same seed does
// the same. What it cannot do: several threads of one rank.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transport/transport.hpp"

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

// Runs `body` as each rank. A rank ends with its body; it is lost to the others unless it has left. An exception of
// derived from std::exception is a failure, and so is to wait for what never comes.
Outcome run(const Settings& settings, const std::function<void(Transport&)>& body);

}  // namespace weir::transport::loopback
