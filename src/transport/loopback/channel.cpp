// SPDX-License-Identifier: Apache-2.0

#include "transport/loopback/channel.hpp"

#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "transport/atomic.hpp"

namespace weir::transport::loopback {

using base::Status;

namespace {
// Of nothing, either may be null.
void copy_bytes(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes != 0) std::memcpy(to, from, bytes);
}
}  // namespace

// What is under way arrives all the same, but not that of a rank that fails or is lost: its memory may be gone.
LateChannel::~LateChannel() {
  if (std::uncaught_exceptions() == 0) pending_.do_all(state_.random());
  state_.network().close(pending_);
}

Status LateChannel::reach(Rank rank) {
  if (state_.random()(4) == 0) state_.pass(self_);
  return state_.is_lost(rank) ? state_.status() : Status::success();
}

Status LateChannel::add(Rank to, Pending::Action action) {
  Status status = reach(to);
  if (status) pending_.add(to, std::move(action));
  return status;
}

Status LateChannel::put(Location to, const void* from, std::size_t bytes) {
  std::byte* const there = state_.find(to, bytes);
  const auto* const first = static_cast<const std::byte*>(from);
  return add(to.rank, [there, copy = std::vector<std::byte>(first, first + bytes)] {
    copy_bytes(there, copy.data(), copy.size());
  });
}

Status LateChannel::get(void* to, Location from, std::size_t bytes) {
  const std::byte* const there = state_.find(from, bytes);
  Status status = reach(from.rank);
  if (status) {
    pending_.do_fenced_to(from.rank, state_.random());
    copy_bytes(to, there, bytes);
  }
  return status;
}

Status LateChannel::put_nbi(Location to, const void* from, std::size_t bytes) {
  std::byte* const there = state_.find(to, bytes);
  return add(to.rank, [=] { copy_bytes(there, from, bytes); });
}

Status LateChannel::get_nbi(void* to, Location from, std::size_t bytes) {
  const std::byte* const there = state_.find(from, bytes);
  return add(from.rank, [=] { copy_bytes(to, there, bytes); });
}

base::Result<std::uint64_t> LateChannel::atomic(Location at, AtomicOp op, AtomicWidth width, std::uint64_t operand,
                                                std::uint64_t expected) {
  std::byte* const there = state_.find(at, bytes_of(width));
  if (!fetches(op)) {
    if (Status status = atomic_nbi(at, op, width, operand, expected, nullptr); !status) return status;
    return std::uint64_t{0};
  }
  if (Status status = reach(at.rank); !status) return status;
  pending_.do_fenced_to(at.rank, state_.random());
  return apply_atomic(there, op, width, operand, expected);
}

Status LateChannel::atomic_nbi(Location at, AtomicOp op, AtomicWidth width, std::uint64_t operand,
                               std::uint64_t expected, std::uint64_t* old) {
  std::byte* const there = state_.find(at, bytes_of(width));
  return add(at.rank, [=] {
    const std::uint64_t found = apply_atomic(there, op, width, operand, expected);
    if (old != nullptr) *old = found;
  });
}

Status LateChannel::fence() {
  pending_.fence();
  return Status::success();
}

Status LateChannel::quiet() {
  state_.pass(self_);
  pending_.do_all(state_.random());
  return Status::success();
}

Status LateChannel::quiet(std::span<const Rank> ranks) {
  state_.pass(self_);
  for (const Rank rank : ranks) pending_.do_all_to(rank, state_.random());
  return Status::success();
}

}  // namespace weir::transport::loopback
