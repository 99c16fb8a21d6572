// SPDX-License-Identifier: Apache-2.0

// Pending: how much of what a channel has asked of each rank is not done. The link's mutex guards it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/ids.hpp"

namespace weir::transport::mpi {

class Pending {
 public:
  Pending(std::uint16_t id, std::uint32_t ranks) : id_(id), by_rank_(ranks) {}

  std::uint16_t id() const noexcept { return id_; }  // by which records name it
  void issued(Rank to) {
    ++by_rank_[static_cast<std::size_t>(to)];
    ++all_;
  }
  void issued_large(Rank to) {
    issued(to);
    ++large_;
  }
  void ended(Rank from, std::uint32_t count) {
    std::uint32_t& of_rank = by_rank_[static_cast<std::size_t>(from)];
    count = std::min(count, of_rank);
    of_rank -= count;
    all_ -= count;
  }
  void ended_large(Rank from) {
    ended(from, 1);
    --large_;
  }
  std::uint64_t all() const noexcept { return all_; }
  std::uint64_t of(Rank rank) const { return by_rank_[static_cast<std::size_t>(rank)]; }
  // Large puts: those that records issued later may overtake.
  std::uint64_t large() const noexcept { return large_; }

 private:
  std::uint16_t id_;
  std::vector<std::uint32_t> by_rank_;
  std::uint64_t all_ = 0, large_ = 0;
};

}  // namespace weir::transport::mpi
