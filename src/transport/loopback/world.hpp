// SPDX-License-Identifier: Apache-2.0

// World: up to a thousand ranks in one process, each with a transport, for tests of protocols and for simulation.
//
// run() gives each rank a thread; they take turns (turns.hpp), and what they send and put arrives late and in another
// order, as far as the contract allows (network.hpp). All decisions follow from the seed: a run with the same seed does
// the same. What it cannot do: several threads of one rank.
#pragma once

#include <functional>

#include "transport/loopback/settings.hpp"
#include "transport/transport.hpp"

namespace weir::transport::loopback {

// Runs `body` as each rank. A rank ends with its body; it is lost to the others unless it has left. An exception
// derived from std::exception is a failure, and so is to wait for what never comes.
Outcome run(const Settings& settings, const std::function<void(Transport&)>& body);

}  // namespace weir::transport::loopback
