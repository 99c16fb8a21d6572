// SPDX-License-Identifier: Apache-2.0

// LateChannel: one-sided operations that are done as late as the contract allows, or at any time before.
//
// A put copies its source at once and its bytes arrive until quiet(); put_nbi() reads its source, and get_nbi() and
// atomic_nbi() write, when they are done: who touches them before quiet() sees it.
#pragma once

#include "transport/loopback/state.hpp"
#include "transport/transport.hpp"

namespace weir::transport::loopback {

class LateChannel final : public Channel {
 public:
  LateChannel(State& state, Rank self) : state_(state), self_(self) { state_.network().open(self, pending_); }
  LateChannel(const LateChannel&) = delete;
  LateChannel& operator=(const LateChannel&) = delete;
  ~LateChannel() override;

  base::Status put(Location to, const void* from, std::size_t bytes) override;
  base::Status get(void* to, Location from, std::size_t bytes) override;
  base::Status put_nbi(Location to, const void* from, std::size_t bytes) override;
  base::Status get_nbi(void* to, Location from, std::size_t bytes) override;
  base::Result<std::uint64_t> atomic(Location at, AtomicOp op, AtomicWidth width, std::uint64_t operand,
                                     std::uint64_t expected) override;
  base::Status atomic_nbi(Location at, AtomicOp op, AtomicWidth width, std::uint64_t operand, std::uint64_t expected,
                          std::uint64_t* old) override;
  base::Status fence() override;
  base::Status quiet() override;
  base::Status quiet(std::span<const Rank> ranks) override;

 private:
  // Code::lost when that rank is; others may run first.
  base::Status reach(Rank rank);
  base::Status add(Rank to, Pending::Action action);

  State& state_;
  Rank self_;
  Pending pending_;
};

}  // namespace weir::transport::loopback
