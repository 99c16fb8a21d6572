// SPDX-License-Identifier: Apache-2.0

#include "transport/joined/joined_transport.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/check.hpp"
#include "platform/clock.hpp"
#include "transport/joined/joined_channel.hpp"

namespace weir::transport::joined {
namespace {

// How the making of a region went on one rank.
struct Made {
  base::Code code = base::Code::ok;
  std::uint16_t id = 0;
  std::array<char, 400> words{};
};

}  // namespace

JoinedTransport::JoinedTransport(std::unique_ptr<mpi::Link> link, std::unique_ptr<Transport> near,
                                 std::vector<Rank> neighbours)
    : neighbourhood_(std::move(neighbours), link->ranks()),
      name_(fmt::format("{}mpi ({})", near->ranks() == 1 ? "" : "shared + ", link->mpi().library)),
      near_(std::move(near)),
      link_(std::move(link)),
      post_(neighbourhood_, *near_, *link_) {
  link_->set_idle_work([this] { return work(); });
}

bool JoinedTransport::work() {
  tell_lost();
  return post_.run();
}

bool JoinedTransport::progress() {
  const bool arrived = link_->look();
  return work() || arrived;
}

// A neighbour's end is seen by its neighbours; the link tells the other hosts.
void JoinedTransport::tell_lost() const {
  if (link_->lost()) return;
  if (const auto lost = near_->lost(); lost) link_->report_lost(neighbourhood_.far(lost->rank), lost->why);
}

std::optional<Lost> JoinedTransport::lost() const {
  tell_lost();
  return link_->lost();
}

base::Status JoinedTransport::agree(const base::Result<Region>& made) {
  Made mine;
  if (made) {
    mine.id = static_cast<std::uint16_t>(made->id);
  } else {
    mine.code = made.status().code;
    made.status().message.copy(mine.words.data(), mine.words.size() - 1);
  }
  std::vector<Made> all(ranks());
  if (base::Status status = all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
      !status)
    return status;
  for (std::uint32_t i = 0; i < ranks(); ++i)
    if (all[i].code != base::Code::ok) return {all[i].code, fmt::format("rank {}: {}", i, all[i].words.data())};
  const bool alike = std::all_of(all.begin(), all.end(), [&](const Made& one) { return one.id == mine.id; });
  WEIR_CHECK(alike, "all ranks make and free regions in the same order");
  return base::Status::success();
}

base::Result<Region> JoinedTransport::make_region(const RegionSpec& spec) {
  std::vector<std::uint64_t> sizes(ranks());
  if (base::Status status =
          all_gather(std::as_bytes(std::span(&spec.size.count, 1)), std::as_writable_bytes(std::span(sizes)));
      !status)
    return status;
  RegionSpec largest = spec;
  largest.size.count = *std::max_element(sizes.begin(), sizes.end());
  auto made = near_->make_region(largest);
  if (made) link_->add_region(made->id, made->data, made->size);  // before any rank may reach it
  if (base::Status status = agree(made); !status) {
    if (!made) return status;
    link_->remove_region(made->id);
    (void)near_->free_region(made->id);
    return status;
  }
  return made;
}

base::Status JoinedTransport::free_region(RegionId id) {
  if (base::Status status = barrier(); !status) return status;
  link_->remove_region(id);
  return near_->free_region(id);
}

std::byte* JoinedTransport::mapped(Rank rank, RegionId id) const noexcept {
  return neighbourhood_.has(rank) ? near_->mapped(neighbourhood_.near(rank), id) : nullptr;
}

std::unique_ptr<Channel> JoinedTransport::open_channel() {
  return std::make_unique<JoinedChannel>(neighbourhood_, near_->open_channel(), *link_);
}

void JoinedTransport::set_handler(std::uint16_t number, Handler handler, void* context) {
  post_.set_handler(number, handler, context);
}

base::Status JoinedTransport::send(Rank to, std::uint16_t handler, std::span<const std::byte> bytes) {
  if (neighbourhood_.has(to)) return near_->send(neighbourhood_.near(to), handler, bytes);
  return link_->send(to, handler, bytes, !post_.is_in_handler());
}

// MPI wakes nobody: after a moment of looking, the thread sleeps where neighbours wake it, and looks again now and
// then. When nothing has come for long, it sleeps at once.
void JoinedTransport::wait_for_arrival(std::uint64_t ns) {
  constexpr std::uint64_t kLongestNap = 500'000;  // ns
  constexpr std::uint32_t kLong = 20;
  const bool is_long = fruitless_.load() >= kLong;
  const int yields = is_long ? 0 : 100;
  std::uint64_t nap = is_long ? kLongestNap : 20'000;
  const std::uint64_t end = platform::now_ns() + ns;
  for (int turn = 0;; ++turn) {
    link_->look();
    const std::uint64_t arrivals = link_->arrivals();
    if (seen_.exchange(arrivals) != arrivals || link_->lost() || near_->lost()) {
      fruitless_.store(0);
      return;
    }
    const std::uint64_t now = platform::now_ns();
    if (now >= end) {
      fruitless_.fetch_add(1);
      return;
    }
    if (turn < yields) {
      sched_yield();
      continue;
    }
    const std::uint64_t sleep = std::min(nap, end - now);
    near_->wait_for_arrival(sleep);
    if (platform::now_ns() - now < sleep) return;  // a neighbour's
    nap = std::min(2 * nap, kLongestNap);
  }
}

base::Status JoinedTransport::leave() {
  if (base::Status status = link_->leave(); !status) return status;
  return near_->leave();
}

}  // namespace weir::transport::joined
