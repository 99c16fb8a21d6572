// SPDX-License-Identifier: Apache-2.0

// Ranks that keep a limited number of copies, each of which decides by itself what leaves, agree with those who send,
// also where each leaves out the tasks that do not concern it.
#include "cluster/copies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <tuple>
#include <vector>

#include "runtime/watch.hpp"
#include "weir/runtime.hpp"

namespace weir::cluster {
namespace {

using detail::RankedItem;
using detail::RankedTile;

constexpr std::size_t kTileBytes = 4096;

// One rank, in a process that has them all.
struct One {
  Runtime runtime;
  Rank self;
  std::vector<detail::Tile<1>> places;
  std::vector<RankedTile> tiles;
  Copies copies;

  One(Rank rank, const std::vector<Rank>& owners, std::uint64_t most)
      : runtime(one_worker()), self(rank), places(owners.size()), copies(runtime, rank, Bytes{most}) {
    tiles.reserve(owners.size());
    for (std::size_t i = 0; i < owners.size(); ++i) {
      tiles.push_back({Versions(self, owners[i]),
                       std::as_writable_bytes(std::span(&places[i], 1)),
                       kTileBytes,
                       {0, static_cast<std::uint32_t>(i)},
                       "a[" + std::to_string(i) + "]"});
      places[i].ranked = &tiles[i];
      if (owners[i] == self) copies.need_block(tiles[i]);
    }
  }
  ~One() {
    copies.end(tiles);
    copies.clear();
    for (RankedTile& tile : tiles)
      if (tile.block() != nullptr) detail::drop_block(tile.block());
  }
  One(const One&) = delete;
  One& operator=(const One&) = delete;

  static Options one_worker() {
    Options options;
    options.workers = 1;
    return options;
  }
  // Blocks of tiles that are others', in use or to be used again.
  std::size_t foreign_blocks() const {
    return copies.spare_count() + static_cast<std::size_t>(std::count_if(
                                      tiles.begin(), tiles.end(), [](const auto& t) { return t.copy != nullptr; }));
  }
};

struct Task {
  std::vector<std::size_t> reads, writes;
  Rank where;
};

// To whom which version goes for which time.
using Name = std::tuple<std::uint32_t, std::size_t, std::uint32_t, std::uint32_t>;

struct Moves {
  std::map<Name, int> sends, receives;
};

// As Ranks::spawn() plans it.
void plan(One& one, const Task& task, Moves& moves) {
  std::vector<RankedItem> items;
  for (const std::size_t tile : task.reads) items.push_back({&one.tiles[tile], Mode::in});
  for (const std::size_t tile : task.writes) items.push_back({&one.tiles[tile], Mode::out});
  one.copies.begin_task(items, task.where);
  for (const std::size_t i : task.reads) {
    RankedTile& tile = one.tiles[i];
    const Move move = tile.versions.note_read(one.self, task.where);
    one.copies.note_read(tile, task.where);
    const Name name{static_cast<std::uint32_t>(task.where), i, tile.versions.newest(),
                    tile.versions.drops(one.self, task.where)};
    if (move == Move::send) ++moves.sends[name];
    if (move != Move::receive) continue;
    ++moves.receives[name];
    one.copies.need_block(tile);
  }
  for (const std::size_t i : task.writes) {
    if (task.where == one.self) one.copies.need_block(one.tiles[i]);
    one.copies.note_write(one.tiles[i], task.where);
  }
  if (task.where != one.self) return;
  for (const auto* const named : {&task.reads, &task.writes})
    for (const std::size_t tile : *named) EXPECT_NE(one.tiles[tile].block(), nullptr) << "what the task names is here";
}

struct Program {
  std::vector<Rank> owners;
  std::vector<Task> tasks;
};

Program make_program(unsigned seed, std::uint32_t ranks) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  Program program;
  const std::size_t tiles = 4 + below(30);
  for (std::size_t i = 0; i < tiles; ++i) program.owners.push_back(Rank{static_cast<std::uint32_t>(below(ranks))});
  for (int i = 0; i < 300; ++i) {
    Task task;
    task.where = Rank{static_cast<std::uint32_t>(below(ranks))};
    for (std::size_t n = below(5); n > 0; --n) task.reads.push_back(below(tiles));
    if (below(4) == 0) {
      task.writes.push_back(below(tiles));
      if (below(4) != 0) task.where = program.owners[task.writes.front()];
      if (below(2) == 0) task.reads.push_back(task.writes.front());
    }
    program.tasks.push_back(std::move(task));
  }
  return program;
}

// What a rank may not leave out (docs/scaling.md).
class Concern {
 public:
  Concern(const Program& program, Rank self) : self_(self), own_(program.owners.size()), read_(program.owners.size()) {
    for (std::size_t i = 0; i < own_.size(); ++i) own_[i] = program.owners[i] == self;
    for (const Task& task : program.tasks) {
      if (task.where != self) continue;
      for (const std::size_t tile : task.writes) own_[tile] = true;
      for (const std::size_t tile : task.reads) read_[tile] = true;
    }
  }
  bool with(const Task& task) const {
    const auto any = [](const std::vector<std::size_t>& tiles, const std::vector<bool>& of) {
      return std::any_of(tiles.begin(), tiles.end(), [&](std::size_t tile) { return of[tile]; });
    };
    return task.where == self_ || any(task.reads, own_) || any(task.writes, own_) || any(task.writes, read_);
  }

 private:
  const Rank self_;
  std::vector<bool> own_, read_;  // by tile
};

void expect_agreement(unsigned seed, std::uint32_t ranks, std::size_t most_tiles, bool leaves_out) {
  const Program program = make_program(seed, ranks);
  Moves moves;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    One one(Rank{rank}, program.owners, most_tiles * kTileBytes);
    const Concern concern(program, Rank{rank});
    for (const Task& task : program.tasks)
      if (!leaves_out || concern.with(task)) plan(one, task, moves);
  }
  EXPECT_EQ(moves.sends, moves.receives) << "seed " << seed;
  for (const auto& [name, times] : moves.sends) EXPECT_EQ(times, 1) << "seed " << seed;
}

TEST(Copies, WhatLeavesIsKnownToTheRankThatHasItAndToTheOneThatHasSentIt) {
  for (unsigned seed = 1; seed <= 40; ++seed) expect_agreement(seed, 2 + seed % 4, seed % 5, false);
}

TEST(Copies, ItIsAlsoWhereRanksLeaveOutTasksThatDoNotConcernThem) {
  for (unsigned seed = 1; seed <= 40; ++seed) expect_agreement(seed, 2 + seed % 4, seed % 5, true);
}

// Rank 1 reads all that rank 0 owns, again and again.
TEST(Copies, ThereAreNeverMoreBlocksThanTheLimitHolds) {
  One one(Rank{1}, std::vector<Rank>(20, Rank{0}), 5 * kTileBytes);
  Moves moves;
  for (std::size_t i = 0; i < 200; ++i) {
    plan(one, {{i * 7 % 20, i * 3 % 20}, {}, Rank{1}}, moves);
    EXPECT_LE(one.foreign_blocks(), 5u);
    if (i % 50 == 49) plan(one, {{}, {i % 20}, Rank{0}}, moves);
  }
  one.runtime.wait();
  EXPECT_EQ(runtime::block_count(one.runtime), 5u);
}

TEST(Copies, ATaskHasAllThatItReadsThoughTheLimitHoldsLess) {
  One one(Rank{1}, std::vector<Rank>(20, Rank{0}), 2 * kTileBytes);
  Moves moves;
  plan(one, {{0, 1, 2, 3, 4}, {}, Rank{1}}, moves);
  EXPECT_EQ(one.foreign_blocks(), 5u);
  plan(one, {{5}, {}, Rank{1}}, moves);
  EXPECT_EQ(std::count_if(one.tiles.begin(), one.tiles.end(), [](const auto& tile) { return tile.copy != nullptr; }),
            2);
}

TEST(Copies, WhatWasDroppedWithoutALimitIsDestroyedWhenItsTasksHaveEnded) {
  One one(Rank{1}, std::vector<Rank>(10, Rank{0}), 0);
  Moves moves;
  for (std::size_t i = 0; i < 10; ++i) plan(one, {{i}, {}, Rank{1}}, moves);
  EXPECT_EQ(runtime::block_count(one.runtime), 10u);
  for (RankedTile& tile : one.tiles) one.copies.drop(tile);
  for (const RankedTile& tile : one.tiles) EXPECT_EQ(tile.block(), nullptr);
  one.runtime.wait();
  one.copies.collect();
  EXPECT_EQ(runtime::block_count(one.runtime), 0u);
  plan(one, {{3}, {}, Rank{1}}, moves);
  EXPECT_EQ(moves.receives.size(), 11u) << "it is received once more";
}

TEST(Copies, NeitherTheOwnerNorTheLastWriterDropsATile) {
  One owner(Rank{0}, {Rank{0}}, 0), writer(Rank{1}, {Rank{0}}, 0);
  Moves moves;
  for (One* const one : {&owner, &writer}) {
    plan(*one, {{}, {0}, Rank{1}}, moves);
    plan(*one, {{0}, {}, Rank{0}}, moves);
    one->copies.drop(one->tiles.front());
    EXPECT_NE(one->tiles.front().block(), nullptr);
    plan(*one, {{0}, {}, Rank{0}}, moves);
  }
  EXPECT_EQ(moves.sends.size(), 1u);
  EXPECT_EQ(moves.sends, moves.receives);
}

}  // namespace
}  // namespace weir::cluster
