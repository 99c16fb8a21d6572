// SPDX-License-Identifier: Apache-2.0

// Losses: which ranks are lost, and why the first of them is. What waits for a lost rank is dropped.
//
// The link's mutex guards it, but for has_some(), which any thread may ask.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "transport/mpi/calls.h"
#include "transport/mpi/failure.hpp"
#include "transport/mpi/outbox.hpp"
#include "transport/mpi/transfers.hpp"
#include "transport/transport.hpp"

namespace weir::transport::mpi {

class Losses {
 public:
  // Of the link of rank `own`.
  Losses(const WeirMpiCalls& calls, Outbox& outbox, Transfers& transfers, Rank own, std::uint32_t ranks)
      : calls_(calls), outbox_(outbox), transfers_(transfers), own_(own), is_lost_(ranks) {}

  // Once for a rank; more is passed over.
  void note(Rank rank, const std::string& why);
  // The rank that the failure names; this one when MPI does not say which: then nothing works any more.
  void note(const Failure& failure);
  // This rank has left: the end of another is no loss any more.
  void close() noexcept { is_closed_ = true; }

  bool has(Rank rank) const { return is_lost_[static_cast<std::size_t>(rank)]; }
  const std::optional<Lost>& first() const noexcept { return first_; }
  // LINK-1: whoever sees it finds the first when the mutex is taken; pairs with note().
  bool has_some() const noexcept { return has_some_.load(std::memory_order_acquire); }

  // Of what needs that rank: lost, with why the first is, when it is or this one.
  base::Status status_of(Rank rank) const {
    return has(rank) || has(own_) ? base::Status{base::Code::lost, first_->why} : base::Status::success();
  }

 private:
  const WeirMpiCalls& calls_;
  Outbox& outbox_;
  Transfers& transfers_;
  Rank own_;
  std::vector<bool> is_lost_;
  std::optional<Lost> first_;
  bool is_closed_ = false;
  std::atomic<bool> has_some_{false};
};

}  // namespace weir::transport::mpi
