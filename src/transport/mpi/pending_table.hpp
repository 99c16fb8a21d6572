// SPDX-License-Identifier: Apache-2.0

// PendingTable: the Pending of each channel, by the number that records carry. The link's mutex guards it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "transport/mpi/pending.hpp"

namespace weir::transport::mpi {

class PendingTable {
 public:
  explicit PendingTable(std::uint32_t ranks) : ranks_(ranks) {}

  // The number of one that was closed is given again.
  Pending& open() {
    auto place = std::find(pending_.begin(), pending_.end(), nullptr);
    if (place == pending_.end()) place = pending_.insert(place, nullptr);
    const auto index = static_cast<std::uint16_t>(place - pending_.begin());
    *place = std::make_unique<Pending>(index, ranks_);
    return **place;
  }
  void close(const Pending& pending) { pending_[pending.id()].reset(); }
  // Null when its channel was closed before the answer came.
  Pending* find(std::uint16_t id) const { return id < pending_.size() ? pending_[id].get() : nullptr; }

  bool is_quiet() const {
    return std::all_of(pending_.begin(), pending_.end(),
                       [](const auto& one) { return one == nullptr || one->all() == 0; });
  }

 private:
  std::uint32_t ranks_;
  std::vector<std::unique_ptr<Pending>> pending_;
};

}  // namespace weir::transport::mpi
