// SPDX-License-Identifier: Apache-2.0

// Mail: messages for handlers, from their arrival until a handler has had them, and how many each rank may send.
//
// A rank has at most kWindow messages under way to another; the receiver's credits say how many it has handled. The
// link's mutex guards it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/ids.hpp"
#include "transport/mpi/wire.hpp"

namespace weir::transport::mpi {

struct Letter {
  Rank from{};
  std::uint16_t handler = 0;
  std::vector<std::byte> bytes;
};

class Mail {
 public:
  explicit Mail(std::uint32_t ranks) : unhandled_(ranks), owed_(ranks) {}

  bool may_send(Rank to) const { return unhandled_[static_cast<std::size_t>(to)] < kWindow; }
  void sent(Rank to) { ++unhandled_[static_cast<std::size_t>(to)]; }
  void credit(Rank from, std::uint32_t count) { unhandled_[static_cast<std::size_t>(from)] -= count; }

  void arrived(Letter letter) { letters_.push_back(std::move(letter)); }
  bool is_empty() const noexcept { return letters_.empty(); }
  std::deque<Letter> take() { return std::exchange(letters_, {}); }
  // How many credits to send now: a quarter of a window at a time, else 0.
  std::uint32_t handled(Rank from) {
    std::uint32_t& owed = owed_[static_cast<std::size_t>(from)];
    return ++owed < kWindow / 4 ? 0 : std::exchange(owed, 0);
  }

 private:
  std::vector<std::uint32_t> unhandled_;  // of this rank's, by receiver
  std::vector<std::uint32_t> owed_;       // credits, by sender
  std::deque<Letter> letters_;
};

}  // namespace weir::transport::mpi
