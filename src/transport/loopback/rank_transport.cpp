// SPDX-License-Identifier: Apache-2.0

#include "transport/loopback/rank_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "transport/loopback/channel.hpp"

namespace weir::transport::loopback {

using base::Code;
using base::Status;

RankTransport::RankTransport(State& state, Rank self) : state_(state), self_(self) {
  const std::uint32_t host = std::max(state.settings().ranks_per_host, 1u);
  const std::uint32_t first = static_cast<std::uint32_t>(self) / host * host;
  for (std::uint32_t i = first; i < std::min(first + host, ranks()); ++i) neighbours_.push_back(Rank{i});
}

Status RankTransport::wait(const Turns::Ready& ready) {
  WEIR_CHECK(!is_in_handler_, "a handler that waits");
  for (;;) {
    Status status = state_.wait(self_, [&] { return ready() || !state_.network().inbox(self_).empty(); });
    if (ready()) return Status::success();
    if (!status) return status;
    run_arrived();
  }
}

Status RankTransport::barrier() {
  if (Status gone = state_.status(); !gone) return gone;
  const std::uint64_t meeting = state_.arrive();
  state_.pass(self_);
  return wait([&] { return state_.has_met(meeting); });
}

Status RankTransport::all_gather(std::span<const std::byte> mine, std::span<std::byte> all) {
  WEIR_CHECK(all.size() == mine.size() * ranks(), "all_gather(): room for as many bytes from every rank");
  state_.gathered(self_).assign(mine.begin(), mine.end());
  if (Status status = barrier(); !status) return status;
  for (std::uint32_t i = 0; i < ranks(); ++i) {
    const std::vector<std::byte>& there = state_.gathered(Rank{i});
    WEIR_CHECK(there.size() == mine.size(), "all_gather(): as many bytes from every rank");
    std::copy(there.begin(), there.end(), all.begin() + static_cast<std::ptrdiff_t>(i * mine.size()));
  }
  return barrier();
}

base::Result<Region> RankTransport::make_region(const RegionSpec& spec) {
  constexpr std::uint64_t kGranule = std::uint64_t{2} << 20;
  std::vector<std::uint64_t> sizes(ranks());
  if (Status status =
          all_gather(std::as_bytes(std::span(&spec.size.count, 1)), std::as_writable_bytes(std::span(sizes)));
      !status) {
    return status;
  }
  const std::uint64_t largest = *std::max_element(sizes.begin(), sizes.end());
  if (largest == 0) return Status{Code::bad_option, fmt::format("region {}: no rank asks for a byte", spec.name)};
  const std::uint64_t stride = (largest + kGranule - 1) / kGranule * kGranule;
  const std::uint16_t number = regions_made_++;
  if (Status status = state_.make_memory(number, stride, spec.name); !status) return status;
  return Region{RegionId{number}, state_.part(self_, RegionId{number}), {stride}};
}

Status RankTransport::free_region(RegionId id) {
  Status status = barrier();
  if (status) state_.free_memory(static_cast<std::uint16_t>(id));
  return status;
}

std::byte* RankTransport::mapped(Rank rank, RegionId id) const noexcept {
  const bool is_neighbour = std::find(neighbours_.begin(), neighbours_.end(), rank) != neighbours_.end();
  return is_neighbour ? state_.part(rank, id) : nullptr;
}

std::unique_ptr<Channel> RankTransport::open_channel() { return std::make_unique<LateChannel>(state_, self_); }

// From a handler it goes out at once: handlers do not wait.
Status RankTransport::send(Rank to, std::uint16_t handler, std::span<const std::byte> bytes) {
  WEIR_CHECK(static_cast<std::uint32_t>(to) < ranks(), "a message to a rank that there is not");
  WEIR_CHECK(bytes.size() <= kMaxMessage, "a message longer than Transport::kMaxMessage");
  if (!is_in_handler_) {
    Status room = wait([&] { return state_.network().on_way(self_, to) < state_.settings().most_on_way; });
    if (!room) return room;
  }
  if (state_.is_lost(to)) return state_.status();
  state_.network().send(to, {self_, handler, {bytes.begin(), bytes.end()}});
  if (!is_in_handler_ && state_.random()(4) == 0) state_.pass(self_);
  return Status::success();
}

bool RankTransport::run_arrived() {
  if (is_in_handler_) return false;
  std::deque<Message>& inbox = state_.network().inbox(self_);
  const bool any = !inbox.empty();
  is_in_handler_ = true;
  while (!inbox.empty()) {
    const Message message = std::move(inbox.front());
    inbox.pop_front();
    handlers_.run(message.handler, message.from, message.bytes);
  }
  is_in_handler_ = false;
  return any;
}

bool RankTransport::progress() {
  if (!is_in_handler_) state_.pass(self_);
  return run_arrived();
}

void RankTransport::wait_for_arrival(std::uint64_t) {
  if (!is_in_handler_) state_.pass(self_);
}

Status RankTransport::leave() {
  Status status = barrier();
  while (status && run_arrived()) {
  }
  state_.leave(self_);
  return status;
}

void RankTransport::abort(int status) {
  state_.abort(status);
  throw Ended{};
}

}  // namespace weir::transport::loopback
