// SPDX-License-Identifier: Apache-2.0

#include "transport/shared/channel.hpp"

#include "memory/copy.hpp"
#include "platform/barrier.hpp"
#include "transport/atomic.hpp"

namespace weir::transport::shared {

using base::Status;

Status NeighbourChannel::put(Location to, const void* from, std::size_t bytes) {
  std::byte* const there = regions_.find(to, bytes);
  Status status = reachable(to.rank);
  if (status) memory::copy_bytes(there, static_cast<const std::byte*>(from), bytes);
  return status;
}

Status NeighbourChannel::get(void* to, Location from, std::size_t bytes) {
  const std::byte* const there = regions_.find(from, bytes);
  Status status = reachable(from.rank);
  if (status) memory::copy_bytes(static_cast<std::byte*>(to), there, bytes);
  return status;
}

base::Result<std::uint64_t> NeighbourChannel::atomic(Location at, AtomicOp op, AtomicWidth width, std::uint64_t operand,
                                                     std::uint64_t expected) {
  std::byte* const there = regions_.find(at, bytes_of(width));
  if (Status status = reachable(at.rank); !status) return status;
  return apply_atomic(there, op, width, operand, expected);
}

Status NeighbourChannel::atomic_nbi(Location at, AtomicOp op, AtomicWidth width, std::uint64_t operand,
                                    std::uint64_t expected, std::uint64_t* old) {
  const auto result = atomic(at, op, width, operand, expected);
  if (!result) return result.status();
  if (old != nullptr) *old = *result;
  return Status::success();
}

Status NeighbourChannel::fence() {
  platform::store_barrier();
  return Status::success();
}

Status NeighbourChannel::quiet() {
  platform::memory_barrier();
  return Status::success();
}

Status NeighbourChannel::quiet(std::span<const Rank>) { return quiet(); }

}  // namespace weir::transport::shared
