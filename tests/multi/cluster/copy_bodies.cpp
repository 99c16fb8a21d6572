// SPDX-License-Identifier: Apache-2.0

// What a rank keeps of other ranks' tiles: how much, until when, and where tasks find it.
#include <fmt/format.h>

#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "multi/cluster/bodies.hpp"
#include "weir/error.hpp"
#include "weir/ranks.hpp"

namespace weir::cluster::multi {
namespace {

constexpr std::size_t kWords = 8 * 1024, kTileBytes = kWords * sizeof(long), kTilesOfRank = 24;

struct Bytes {
  std::uint64_t used = 0, peak = 0;
};
Bytes bytes_of_blocks(Ranks& ranks) {
  Bytes bytes;
  for (const TierReport& tier : ranks.runtime().tier_statistics().tiers) {
    bytes.used += tier.used;
    bytes.peak += tier.peak;
  }
  return bytes;
}

Array<long, 1> make_tiles(Ranks& ranks) {
  const auto tiles = kTilesOfRank * static_cast<std::size_t>(ranks.size());
  auto array = Array<long, 1>::distribute(ranks, {tiles * kWords}, {kWords}, block_cyclic(ranks.size()), "a");
  for (std::size_t i = 0; i < tiles; ++i)
    ranks.spawn(out(array.tile(i)), [i](std::span<long> v) { std::iota(v.begin(), v.end(), long(i)); });
  return array;
}

// Each rank reads every tile, two of them in a task, as often as that.
void read_all(Ranks& ranks, const Array<long, 1>& array, int times) {
  const std::size_t tiles = array.tiles()[0];
  for (int time = 0; time < times; ++time) {
    for (std::size_t i = 0; i < tiles; ++i) {
      const std::size_t other = (i * 5 + 1) % tiles;
      for (int rank = 0; rank < ranks.size(); ++rank) {
        ranks.spawn(on_rank(rank), in(array.tile(i)), in(array.tile(other)),
                    [i, other](std::span<const long> v, std::span<const long> w) {
                      expect(v.front() == long(i) && v.back() == long(i + kWords - 1), fmt::format("tile {}", i));
                      expect(w.front() == long(other) && w.back() == long(other + kWords - 1),
                             fmt::format("tile {}", other));
                    });
      }
    }
  }
}

// With a limit in WEIR_RANK_COPIES the memory of a rank stays below its own tiles and the limit for each other rank;
// without, it grows to the whole array.
void few_copies() {
  Ranks ranks;
  const auto others = static_cast<std::uint64_t>(ranks.size() - 1);
  const std::uint64_t most = static_cast<std::uint64_t>(setting("WEIR_RANK_COPIES", 0)) << 10;
  const std::uint64_t own = kTilesOfRank * kTileBytes;
  const auto array = make_tiles(ranks);
  read_all(ranks, array, 3);
  ranks.barrier();
  const Bytes bytes = bytes_of_blocks(ranks);
  const std::uint64_t expected = own + others * (most == 0 ? own : most);
  expect(bytes.peak == expected, fmt::format("{} bytes at most, not {}", expected, bytes.peak));
  const std::uint64_t received = ranks.traffic().tiles_received, foreign = others * kTilesOfRank;
  expect(most == 0 ? received == foreign : received >= 3 * foreign, fmt::format("{} tiles received", received));
}
const Named kFewCopies("few-copies", few_copies);

void dropped() {
  Ranks ranks;
  const std::uint64_t own = kTilesOfRank * kTileBytes;
  const auto array = make_tiles(ranks);
  for (int round = 1; round <= 3; ++round) {
    read_all(ranks, array, 2);
    ranks.drop_copies(array);
    ranks.wait();
    const Bytes bytes = bytes_of_blocks(ranks);
    expect(bytes.used == own, fmt::format("{} bytes are left of copies", bytes.used - own));
  }
  ranks.barrier();
  const std::uint64_t foreign = static_cast<std::uint64_t>(ranks.size() - 1) * kTilesOfRank;
  expect(ranks.traffic().tiles_received == 3 * foreign, "each tile is received once in each round");
  const Array<long, 1> plain(ranks.runtime(), {100}, {100}, "plain");
  try {
    ranks.drop_copies(plain);
  } catch (const Error& error) {
    expect(std::string(error.what()).find("not distributed") != std::string::npos, error.what());
    return;
  }
  expect(false, "drop_copies() of an array of one process is refused");
}
const Named kDropped("dropped", dropped);

// Each rank is given another limit: all end with the reason.
void limits_differ() {
  const char* const mine = std::getenv("WEIR_RANK");
  setenv("WEIR_RANK_COPIES", mine == nullptr ? "0" : mine, 1);
  try {
    Ranks ranks;
  } catch (const Error& error) {
    expect(
        std::string(error.what()).find("WEIR_RANK_COPIES is 0 KiB on rank 0 and 1 KiB on rank 1") != std::string::npos,
        error.what());
    return;
  }
  expect(false, "ranks with other limits refuse to begin");
}
const Named kLimitsDiffer("limits-differ", limits_differ);

// By the argument, by view() of the tile, and in a range: the same place.
void views() {
  Ranks ranks;
  const auto array = make_tiles(ranks);
  const std::size_t tiles = array.tiles()[0];
  for (std::size_t i = 0; i < tiles; ++i) {
    const std::size_t other = (i + 1) % tiles;
    for (int rank = 0; rank < ranks.size(); ++rank) {
      ranks.spawn(on_rank(rank), in(array.tile(i)), in(array.tile(other)),
                  [&array, i, other](std::span<const long> v, std::span<const long> w) {
                    expect(array.tile(i).view().data() == v.data(), "view() of the first is its argument");
                    expect(array.tile(other).view().data() == w.data(), "view() of the second is its argument");
                  });
      ranks.spawn(on_rank(rank), in(array.tile(i)), [&array, i] {
        expect(array.tile(i).view().front() == long(i), "view() where the callable takes no argument");
      });
      const std::vector<Access> range{in(array.tile(other)), in(array.tile(i))};
      ranks.spawn(on_rank(rank), range, [&array, i](Items items) {
        expect(array.tile(i).view().data() == items[1].span<const long>().data(), "view() of one of a range");
      });
    }
  }
  ranks.barrier();
}
const Named kViews("views", views);

}  // namespace
}  // namespace weir::cluster::multi
