// SPDX-License-Identifier: Apache-2.0

// Hosts: which ranks can map one another's memory, and meet as neighbours. Values; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.hpp"

namespace weir::transport::joined {

// What two ranks have in common that can be neighbours, and a number that no other process has.
struct HostMark {
  std::array<char, 160> place{};  // boot, host name, user, and the namespaces of network and processes
  std::uint64_t nonce = 0;
};

HostMark own_mark();

// The ranks with the same place as `rank`, itself among them, in rising order.
std::vector<Rank> neighbours_of(Rank rank, std::span<const HostMark> marks);

}  // namespace weir::transport::joined
