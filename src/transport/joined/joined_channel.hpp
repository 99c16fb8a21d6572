// SPDX-License-Identifier: Apache-2.0

// JoinedChannel: to neighbours by their memory, to other ranks by the link. As Channel: one thread at a time.
#pragma once

#include <memory>
#include <vector>

#include "transport/joined/neighbourhood.hpp"
#include "transport/mpi/link.hpp"
#include "transport/transport.hpp"

namespace weir::transport::joined {

class JoinedChannel final : public Channel {
 public:
  JoinedChannel(const Neighbourhood& neighbourhood, std::unique_ptr<Channel> near, mpi::Link& link)
      : neighbourhood_(neighbourhood), near_(std::move(near)), link_(link), pending_(link.open_pending()) {}
  ~JoinedChannel() override;

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
  const Neighbourhood& neighbourhood_;
  std::unique_ptr<Channel> near_;
  mpi::Link& link_;
  mpi::Pending& pending_;
};

}  // namespace weir::transport::joined
