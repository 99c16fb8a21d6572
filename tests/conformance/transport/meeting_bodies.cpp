// SPDX-License-Identifier: Apache-2.0

// Barriers and exchanges.
#include <atomic>
#include <numeric>
#include <vector>

#include "conformance/transport/bodies.hpp"

namespace weir::transport::conformance {
namespace {

void ranks_are_numbered(Transport& t) {
  require(me(t) < t.ranks(), "a rank is below their number");
  require(t.name() != nullptr && t.name()[0] != '\0', "a backend has a name");
  require(!t.lost(), "nobody is lost");
  std::vector<std::uint32_t> all(t.ranks()), expected(t.ranks());
  const std::uint32_t mine = me(t);
  require(t.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all))));
  std::iota(expected.begin(), expected.end(), 0);
  require(all == expected, "each rank once");
}

// Nobody leaves a barrier that somebody has not reached: each round, all see what all wrote before it.
void nobody_passes_a_barrier_alone(Transport& t) {
  const Region region = required(t.make_region({.size = {4096}}));
  const auto channel = t.open_channel();
  for (std::uint64_t round = 1; round <= 200; ++round) {
    for (std::uint32_t i = 0; i < t.ranks(); ++i) {
      require(channel->put({Rank{i}, region.id, std::uint64_t{8} * me(t)}, &round, 8));
    }
    require(channel->quiet());
    require(t.barrier());
    for (std::uint32_t i = 0; i < t.ranks(); ++i) {
      const std::uint64_t there = std::atomic_ref(reinterpret_cast<std::uint64_t*>(region.data)[i]).load();
      require(there == round || there == round + 1, "everybody's word of this round");
    }
  }
  require(t.barrier());
  require(t.free_region(region.id));
}

void all_gather_takes_any_length(Transport& t) {
  for (const std::size_t bytes : {0, 1, 7, 4088, 4089, 10'000, 300'000}) {
    std::vector<std::byte> mine(bytes), all(bytes * t.ranks());
    for (std::size_t i = 0; i < bytes; ++i) mine[i] = static_cast<std::byte>(i * 31 + me(t));
    require(t.all_gather(mine, all));
    for (std::size_t i = 0; i < all.size(); ++i)
      require(all[i] == static_cast<std::byte>(i % bytes * 31 + i / bytes), "in the order of ranks");
  }
}

void many_meetings_in_a_row(Transport& t) {
  for (std::uint32_t i = 0; i < 300; ++i) {
    const std::uint64_t mine = std::uint64_t{i} << 32 | me(t);
    std::vector<std::uint64_t> all(t.ranks());
    require(t.all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all))));
    for (std::uint32_t rank = 0; rank < t.ranks(); ++rank)
      require(all[rank] == (std::uint64_t{i} << 32 | rank), "of this exchange");
    if (i % 3 == 0) require(t.barrier());
  }
}

constexpr Body kMeetingBodies[] = {
    {"ranks_are_numbered", ranks_are_numbered},
    {"nobody_passes_a_barrier_alone", nobody_passes_a_barrier_alone},
    {"all_gather_takes_any_length", all_gather_takes_any_length},
    {"many_meetings_in_a_row", many_meetings_in_a_row},
};

}  // namespace

std::span<const Body> meeting_bodies() { return kMeetingBodies; }

}  // namespace weir::transport::conformance
