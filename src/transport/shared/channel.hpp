// SPDX-License-Identifier: Apache-2.0

// NeighbourChannel: one-sided operations between ranks that map one another's memory: copies and the processor's
// atomics. Each is done when it returns; what is left to fence() and quiet() is that others see them in order.
#pragma once

#include "transport/shared/peers.hpp"
#include "transport/shared/regions.hpp"
#include "transport/transport.hpp"

namespace weir::transport::shared {

class NeighbourChannel final : public Channel {
 public:
  NeighbourChannel(const Regions& regions, const Peers& peers) noexcept : regions_(regions), peers_(peers) {}

  base::Status put(Location to, const void* from, std::size_t bytes) override;
  base::Status get(void* to, Location from, std::size_t bytes) override;
  base::Status put_nbi(Location to, const void* from, std::size_t bytes) override { return put(to, from, bytes); }
  base::Status get_nbi(void* to, Location from, std::size_t bytes) override { return get(to, from, bytes); }
  base::Result<std::uint64_t> atomic(Location at, AtomicOp op, AtomicWidth width, std::uint64_t operand,
                                     std::uint64_t expected) override;
  base::Status atomic_nbi(Location at, AtomicOp op, AtomicWidth width, std::uint64_t operand, std::uint64_t expected,
                          std::uint64_t* old) override;
  base::Status fence() override;
  base::Status quiet() override;
  base::Status quiet(std::span<const Rank> ranks) override;

 private:
  base::Status reachable(Rank rank) const { return peers_.is_lost(rank) ? peers_.status() : base::Status::success(); }

  const Regions& regions_;
  const Peers& peers_;
};

}  // namespace weir::transport::shared
