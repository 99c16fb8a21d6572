// SPDX-License-Identifier: Apache-2.0

// Ranks that wait for one another in wait(): for what no program has spawned, which all are told, and for what takes
// long, which none is told.
#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "multi/cluster/bodies.hpp"
#include "weir/completion.hpp"
#include "weir/ranks.hpp"

namespace weir::cluster::multi {
namespace {

constexpr unsigned kMostSeconds = 20;  // a rank that waits for longer is ended by SIGALRM
constexpr unsigned kLongUs = 2'700'000;
constexpr std::size_t kElements = 10000;  // of a tile; larger than a message

Array<int, 1> a_tile_each(Ranks& ranks) {
  const auto size = static_cast<std::size_t>(ranks.size());
  return Array<int, 1>::distribute(ranks, {size * kElements}, {kElements}, block_cyclic(ranks.size()), "a");
}

void expect_named(const std::string& told, const std::string& text) {
  expect(told.find(text) != std::string::npos, fmt::format("told '{}', not '{}'", text, told));
}

// As a program for MPI would: each rank spawns the tasks of its own tile, which read the next rank's.
void spawns_its_own() {
  alarm(kMostSeconds);
  Ranks ranks;
  const auto a = a_tile_each(ranks);
  const int size = ranks.size(), self = ranks.rank();
  const auto tile = [&](int rank) { return a.tile(static_cast<std::size_t>(rank % size)); };
  ranks.spawn(out(tile(self)), [](std::span<int> own) { own[0] = 1; });
  ranks.spawn(in(tile(self + 1)), inout(tile(self)), [](std::span<const int>, std::span<int>) {});
  const std::string told = told_by([&] { ranks.wait(); });
  expect_named(told, "ranks wait in wait() for one another, and none can go on: rank ");
  for (int rank = 0; rank < size; ++rank) {
    const int next = (rank + 1) % size;
    expect_named(told, fmt::format("rank {} waits for tile a[{}] of rank {}", rank, next, next));
  }
  expect_named(told, ": all ranks spawn the same tasks in the same order");
}

// Each has a tile for the next rank, which does not read it.
void reads_nothing() {
  alarm(kMostSeconds);
  Ranks ranks;
  const auto a = a_tile_each(ranks);
  const int size = ranks.size(), self = ranks.rank(), next = (self + 1) % size;
  ranks.spawn(out(a.tile(static_cast<std::size_t>(self))), [](std::span<int> own) { own[0] = 1; });
  ranks.spawn(on_rank(next), in(a.tile(static_cast<std::size_t>(self))), [](std::span<const int>) {});
  const std::string told = told_by([&] { ranks.wait(); });
  expect_named(told, fmt::format("rank {} has a tile for rank {}, which it does not read", self, next));
}

// Rank 0 waits for rank 1, that for rank 2, and rank 2 in a barrier.
void waits_for_who_waits() {
  alarm(kMostSeconds);
  Ranks ranks;
  const auto a = a_tile_each(ranks);
  const std::string told = told_by([&] {
    for (const std::size_t rank : {std::size_t{0}, std::size_t{1}}) {
      if (static_cast<std::size_t>(ranks.rank()) == rank)
        ranks.spawn(in(a.tile(rank + 1)), inout(a.tile(rank)), [](std::span<const int>, std::span<int>) {});
    }
    ranks.barrier();
  });
  expect_named(told, "rank 2 waits in barrier(), or writes a checkpoint, and rank 1 waits for tile a[2] of it");
}

// All wait for what rank 1 takes long to do: in a task, or in one that ends later by a thread of the program.
void waits_for_long() {
  alarm(kMostSeconds);
  std::thread elsewhere;
  {
    Ranks ranks;
    const auto a = a_tile_each(ranks);
    const bool ends_later = setting("WEIR_ENDS_LATER", 0) != 0;
    ranks.spawn(inout(a.tile(1)), [&](std::span<int> own) {
      own[0] = 3;
      if (!ends_later) {
        usleep(kLongUs);
        return;
      }
      elsewhere = std::thread([completion = end_later()]() mutable {
        usleep(kLongUs);
        completion.complete();
      });
    });
    const auto tiles = static_cast<std::size_t>(ranks.size());
    for (std::size_t step = 1; step <= 2 * tiles; ++step)
      ranks.spawn(in(a.tile(step % tiles)), inout(a.tile((step + 1) % tiles)),
                  [](std::span<const int> from, std::span<int> to) { to[0] += from[0]; });
    ranks.barrier();
  }
  if (elsewhere.joinable()) elsewhere.join();
}

const Named kStandstills[] = {{"spawns-its-own", spawns_its_own},
                              {"reads-nothing", reads_nothing},
                              {"waits-for-who-waits", waits_for_who_waits},
                              {"waits-for-long", waits_for_long}};

}  // namespace
}  // namespace weir::cluster::multi
