// SPDX-License-Identifier: Apache-2.0

// What memory really costs here: bandwidth and latency of each memory node from each domain.
//
// Read bandwidth is a sum over a buffer, write bandwidth a fill with stores that go around the caches, both with a
// thread on every core of the domain; latency is a chain of dependent loads in random order on one core of it. Buffers
// are larger than the caches, on large pages where there are any, and are asked after: the numbers are of that node.
#pragma once

#include <functional>
#include <string>

#include "machine/machine.hpp"
#include "machine/measured_file.hpp"

namespace weir::machine {

// Takes about a second for each pair of a domain and an allowed memory node; blocks, and needs an idle machine.
// `progress` gets a few words before each pair. Fails with bad_option for a machine that is not this system, with
// no_space when a node has not enough free memory to tell it from the caches, and with what Pages and binding fail
// with.
base::Result<Costs> measure(const Machine& machine, const std::function<void(const std::string&)>& progress);

}  // namespace weir::machine
