// SPDX-License-Identifier: Apache-2.0

#include "transport/mpi/losses.hpp"

#include <fmt/format.h>

namespace weir::transport::mpi {

void Losses::note(Rank rank, const std::string& why) {
  const auto index = static_cast<std::size_t>(rank);
  if (is_closed_ || is_lost_[index]) return;
  is_lost_[index] = true;
  outbox_.drop(rank);
  transfers_.drop(rank);
  if (!first_) first_ = Lost{rank, why};
  has_some_.store(true, std::memory_order_release);  // LINK-1
}

void Losses::note(const Failure& failure) {
  const std::string words = text_of(calls_, failure.error);
  const auto own = static_cast<int>(own_);
  if (failure.rank < 0)
    return note(own_, fmt::format("a rank that does not answer rank {}, and MPI does not say which: {}", own, words));
  note(static_cast<Rank>(failure.rank), fmt::format("rank {} does not answer rank {}: {}", failure.rank, own, words));
}

}  // namespace weir::transport::mpi
