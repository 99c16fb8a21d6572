// SPDX-License-Identifier: Apache-2.0

// Neighbourhood: the ranks of this host, by their numbers in the job and among themselves. A value; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "transport/transport.hpp"

namespace weir::transport::joined {

class Neighbourhood {
 public:
  Neighbourhood(std::vector<Rank> neighbours, std::uint32_t ranks)
      : neighbours_(std::move(neighbours)), near_(ranks, kFar) {
    for (std::uint32_t i = 0; i < neighbours_.size(); ++i) near_[static_cast<std::size_t>(neighbours_[i])] = i;
  }

  const std::vector<Rank>& ranks() const noexcept { return neighbours_; }
  bool has(Rank rank) const noexcept { return near_[static_cast<std::size_t>(rank)] != kFar; }
  // Of a neighbour: its number among them.
  Rank near(Rank rank) const noexcept { return Rank{near_[static_cast<std::size_t>(rank)]}; }
  Location near(Location location) const noexcept {
    location.rank = near(location.rank);
    return location;
  }
  Rank far(Rank near) const noexcept { return neighbours_[static_cast<std::size_t>(near)]; }

 private:
  static constexpr std::uint32_t kFar = ~0U;

  std::vector<Rank> neighbours_;
  std::vector<std::uint32_t> near_;  // by rank
};

}  // namespace weir::transport::joined
