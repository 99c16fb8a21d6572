// SPDX-License-Identifier: Apache-2.0

// Programs whose traces have known bytes, waits and paths.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "multi/cluster/bodies.hpp"
#include "weir/ranks.hpp"

namespace weir::cluster::multi {
namespace {

constexpr std::size_t kSmall = 100, kLarge = 100'000;  // elements of a tile
constexpr auto kLong = std::chrono::milliseconds(300);

std::string file_of(int rank) { return "wants." + std::to_string(rank); }

// Rank 0 makes a large tile once all others want it, which is long after they have nothing else to do.
void make_late(Ranks& ranks, const Array<double, 1>& large) {
  ranks.spawn(name("make large"), out(large.tile(0)), [n = ranks.size()](std::span<double> tile) {
    for (int rank = 1; rank < n; ++rank)
      while (!std::filesystem::exists(file_of(rank))) std::this_thread::yield();
    std::this_thread::sleep_for(kLong);
    tile[0] = 1;
  });
}

// Each rank makes a small tile, and sends it to the one before it; all use the large one of rank 0.
void traced() {
  Ranks ranks;
  const int n = ranks.size();
  const auto tiles = static_cast<std::size_t>(n);
  const auto small = Array<double, 1>::distribute(ranks, {tiles * kSmall}, {kSmall}, block_cyclic(n), "small");
  const auto large = Array<double, 1>::distribute(ranks, {kLarge}, {kLarge}, block_cyclic(1), "large");
  const auto sums = Array<double, 1>::distribute(ranks, {tiles}, {1}, block_cyclic(n), "sums");
  make_late(ranks, large);
  for (std::size_t i = 0; i < tiles; ++i)
    ranks.spawn(name("make small"), out(small.tile(i)), [](std::span<double> tile) { tile[0] = 1; });
  for (std::size_t i = 0; i < tiles; ++i)
    ranks.spawn(name("use small"), in(small.tile((i + 1) % tiles)), out(sums.tile(i)),
                [](std::span<const double> from, std::span<double> sum) { sum[0] = from[0]; });
  for (std::size_t i = 1; i < tiles; ++i)
    ranks.spawn(name("use large"), in(large.tile(0)), inout(sums.tile(i)),
                [](std::span<const double> from, std::span<double> sum) {
                  sum[0] += from[0];
                  std::this_thread::sleep_for(kLong);
                });
  if (ranks.rank() > 0) ranks.runtime().spawn([rank = ranks.rank()] { std::ofstream(file_of(rank)) << "\n"; });
  ranks.wait();
  expect(ranks.rank() == 0 || ranks.traffic().bytes_received == (kSmall + kLarge) * sizeof(double),
         "a rank receives two tiles");
}

// The last rank ends in the middle, by a signal, when what it has recorded has been written.
void traced_killed() {
  Ranks ranks;
  const auto a = Array<double, 1>::distribute(ranks, {kSmall}, {kSmall}, block_cyclic(1), "a");
  ranks.spawn(name("make"), out(a.tile(0)), [](std::span<double> tile) { tile[0] = 1; });
  ranks.barrier();
  std::this_thread::sleep_for(kLong);
  if (ranks.rank() == ranks.size() - 1) std::raise(SIGKILL);
  ranks.barrier();
}

// Rank 0 makes a tile that all others need when the file `go` is there.
void explained() {
  Ranks ranks;
  const auto n = static_cast<std::size_t>(ranks.size());
  const auto large = Array<double, 1>::distribute(ranks, {kLarge}, {kLarge}, block_cyclic(1), "large");
  const auto sums = Array<double, 1>::distribute(ranks, {n}, {1}, block_cyclic(ranks.size()), "sums");
  ranks.spawn(name("make large"), out(large.tile(0)), [](std::span<double>) {
    while (!std::filesystem::exists("go")) std::this_thread::yield();
  });
  for (std::size_t i = 1; i < n; ++i)
    ranks.spawn(name("use large"), in(large.tile(0)), out(sums.tile(i)),
                [](std::span<const double> from, std::span<double> sum) { sum[0] = from[0]; });
  ranks.barrier();
}

// Two Ranks, one behind the other: in the first rank 0 has most tasks, in the second rank 1.
void traced_twice() {
  for (int most = 0; most < 2; ++most) {
    Ranks ranks;
    const auto a = Array<double, 1>::distribute(ranks, {2}, {1}, block_cyclic(2), "a");
    const auto at = static_cast<std::size_t>(most);
    const char* const make = most == 0 ? "make first" : "make second";
    for (int i = 0; i < 2000; ++i) ranks.spawn(on_rank(most), name(make), inout(a.tile(at)), [] {});
    ranks.spawn(on_rank(1 - most), name(most == 0 ? "use first" : "use second"), in(a.tile(at)), [] {});
    ranks.barrier();
  }
}

// A process of a job that has a runtime of its own and speaks to no other.
void traced_alone() {
  Runtime runtime;
  for (int i = 0; i < 10; ++i) runtime.spawn(name("alone"), [] {});
  runtime.wait();
}

const Named kTraced[] = {{"traced", traced},
                         {"traced-killed", traced_killed},
                         {"traced-alone", traced_alone},
                         {"traced-twice", traced_twice},
                         {"explained", explained}};

}  // namespace
}  // namespace weir::cluster::multi
