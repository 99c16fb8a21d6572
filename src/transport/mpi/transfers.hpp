// SPDX-License-Identifier: Apache-2.0

// Transfers: large bytes under way by MPI straight from memory to memory. The link's mutex guards it.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "base/mutex.hpp"
#include "transport/mpi/calls.h"
#include "transport/mpi/failure.hpp"
#include "transport/mpi/wire.hpp"

namespace weir::transport::mpi {

class Transfers {
 public:
  using Then = std::function<void()>;
  explicit Transfers(const WeirMpiCalls& calls) : calls_(calls) {}

  // 0, or the error of MPI's; `then` is called by poll() when it is done.
  int send(Rank to, Tag tag, const std::byte* from, std::uint64_t bytes, Then then);
  int receive(Rank from, Tag tag, std::byte* to, std::uint64_t bytes, Then then);
  // True when one has ended. Not analysed: as Receives::poll().
  template <class Failed>
  bool poll(Failed failed) WEIR_NOT_ANALYSED;
  bool is_empty() const noexcept { return underway_.empty(); }
  // Those with a rank that is gone; MPI may still touch their memory.
  void drop(Rank rank);

 private:
  static constexpr std::size_t kAtOnce = 16;  // that are looked at by one poll()

  struct Transfer {
    WeirMpiRequest request;
    Rank rank;
    Then then;
  };

  const WeirMpiCalls& calls_;
  std::vector<Transfer> underway_;
  std::size_t next_ = 0;  // that is looked at
};

template <class Failed>
bool Transfers::poll(Failed failed) {
  bool ended = false;
  const std::size_t looks = std::min(underway_.size(), kAtOnce);
  for (std::size_t i = 0; i < looks && !underway_.empty(); ++i) {
    next_ = next_ < underway_.size() ? next_ : 0;
    Transfer& transfer = underway_[next_];
    WeirMpiOutcome outcome{};
    const int error = calls_.test(&transfer.request, &outcome);
    if (error == 0 && outcome.done == 0) {
      ++next_;
      continue;
    }
    const Transfer over = std::move(transfer);
    if (next_ + 1 != underway_.size()) underway_[next_] = std::move(underway_.back());
    underway_.pop_back();
    if (error != 0) {
      failed(Failure{static_cast<int>(over.rank), error});
      return true;
    }
    over.then();
    ended = true;
  }
  return ended;
}

}  // namespace weir::transport::mpi
