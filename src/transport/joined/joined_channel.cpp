// SPDX-License-Identifier: Apache-2.0

#include "transport/joined/joined_channel.hpp"

#include "base/check.hpp"
#include "transport/atomic.hpp"

namespace weir::transport::joined {

// What the channel still waits for could be written into memory that is not there any more.
JoinedChannel::~JoinedChannel() {
  (void)link_.wait_for(pending_, {});
  link_.close_pending(pending_);
}

base::Status JoinedChannel::put(Location to, const void* from, std::size_t bytes) {
  if (neighbourhood_.has(to.rank)) return near_->put(neighbourhood_.near(to), from, bytes);
  return link_.put(pending_, to, static_cast<const std::byte*>(from), bytes, true);
}

base::Status JoinedChannel::get(void* to, Location from, std::size_t bytes) {
  if (neighbourhood_.has(from.rank)) return near_->get(to, neighbourhood_.near(from), bytes);
  return link_.get(pending_, static_cast<std::byte*>(to), from, bytes, true);
}

base::Status JoinedChannel::put_nbi(Location to, const void* from, std::size_t bytes) {
  if (neighbourhood_.has(to.rank)) return near_->put_nbi(neighbourhood_.near(to), from, bytes);
  return link_.put(pending_, to, static_cast<const std::byte*>(from), bytes, false);
}

base::Status JoinedChannel::get_nbi(void* to, Location from, std::size_t bytes) {
  if (neighbourhood_.has(from.rank)) return near_->get_nbi(to, neighbourhood_.near(from), bytes);
  return link_.get(pending_, static_cast<std::byte*>(to), from, bytes, false);
}

base::Result<std::uint64_t> JoinedChannel::atomic(Location at, AtomicOp op, AtomicWidth width, std::uint64_t operand,
                                                  std::uint64_t expected) {
  if (neighbourhood_.has(at.rank)) return near_->atomic(neighbourhood_.near(at), op, width, operand, expected);
  WEIR_CHECK(at.offset % bytes_of(width) == 0, "an atomic operation on a word that is not at a multiple of its size");
  std::uint64_t old = 0;
  const mpi::Link::Atomic atomic{.op = op, .width = width, .operand = operand, .expected = expected};
  if (base::Status status = link_.atomic(pending_, at, atomic, fetches(op) ? &old : nullptr, true); !status)
    return status;
  return old;
}

base::Status JoinedChannel::atomic_nbi(Location at, AtomicOp op, AtomicWidth width, std::uint64_t operand,
                                       std::uint64_t expected, std::uint64_t* old) {
  if (neighbourhood_.has(at.rank)) return near_->atomic_nbi(neighbourhood_.near(at), op, width, operand, expected, old);
  WEIR_CHECK(at.offset % bytes_of(width) == 0, "an atomic operation on a word that is not at a multiple of its size");
  const mpi::Link::Atomic atomic{.op = op, .width = width, .operand = operand, .expected = expected};
  if (!fetches(op) && old != nullptr) *old = 0;
  return link_.atomic(pending_, at, atomic, old, false);
}

base::Status JoinedChannel::fence() {
  if (base::Status status = near_->fence(); !status) return status;
  return link_.wait_for_large(pending_);
}

base::Status JoinedChannel::quiet() {
  if (base::Status status = near_->quiet(); !status) return status;
  return link_.wait_for(pending_, {});
}

base::Status JoinedChannel::quiet(std::span<const Rank> ranks) {
  std::vector<Rank> near, far;
  for (const Rank rank : ranks) {
    if (neighbourhood_.has(rank)) {
      near.push_back(neighbourhood_.near(rank));
    } else {
      far.push_back(rank);
    }
  }
  if (base::Status status = near_->quiet(near); !status) return status;
  return far.empty() ? base::Status::success() : link_.wait_for(pending_, far);
}

}  // namespace weir::transport::joined
