// SPDX-License-Identifier: Apache-2.0

// weir_rank_bench: what tasks over two ranks cost, beside the messages that they are made of, in turns in one run.
//
//   weir run -n 2 build/release/bench/ranks/weir_rank_bench [--workers N] [--rounds N]
//
//   there and back   an empty task on rank 1 and one on rank 0, in a chain through a tile of 8 bytes; a message of as
//   many
//                    bytes there and back
//   skipped          what a rank spends on a task of another rank that names three tiles, ns
//   1 MiB            a tile that rank 0 writes and a task of rank 1 reads; a message, and a get of as many bytes
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "ranks/raw.hpp"
#include "weir/ranks.hpp"

namespace weir::bench {
namespace {

constexpr int kHops = 2000, kTransfers = 200, kSkipped = 100'000;
constexpr std::size_t kLarge = Raw::kLarge;

double seconds_of(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double tasks_there_and_back(Ranks& ranks, const Array<std::uint64_t, 1>& word) {
  ranks.barrier();
  return seconds_of([&] {
    for (int hop = 0; hop < kHops; ++hop)
      ranks.spawn(on_rank(1 - hop % 2), inout(word.tile(0)), [](std::span<std::uint64_t> v) { ++v[0]; });
    ranks.barrier();
  });
}

double large_tiles(Ranks& ranks, const Array<std::byte, 1>& tile) {
  ranks.barrier();
  return seconds_of([&] {
    for (int i = 0; i < kTransfers; ++i) {
      ranks.spawn(on_rank(0), inout(tile.tile(0)), [](std::span<std::byte> v) { v[0] = std::byte{1}; });
      ranks.spawn(on_rank(1), in(tile.tile(0)), [](std::span<const std::byte>) {});
    }
    ranks.barrier();
  });
}

// What rank 0 spends on tasks of rank 1 that name three tiles, of which nothing has to be sent.
double skipped_tasks(Ranks& ranks, const Array<int, 1>& tiles) {
  ranks.barrier();
  const double seconds = seconds_of([&] {
    for (int i = 0; i < kSkipped; ++i) {
      ranks.spawn(on_rank(1), inout(tiles.tile(0)), inout(tiles.tile(1)), inout(tiles.tile(2)),
                  [](std::span<int>, std::span<int>, std::span<int>) {});
    }
  });
  ranks.barrier();
  return seconds;
}

double median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + static_cast<long>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

void print_row(const char* what, double tasks, double messages, int count) {
  const double scale = 1e6 / count;
  fmt::print("{:<16} {:10.2f} {:12.2f} {:8.2f}\n", what, tasks * scale, messages * scale, tasks / messages);
}

int run(int workers, int rounds) {
  Raw raw;
  Options options = Options::from_environment();
  options.workers = workers;
  Ranks ranks(options);
  if (ranks.size() != 2) throw Error("two ranks are compared: weir run -n 2");
  const auto word = Array<std::uint64_t, 1>::distribute(ranks, {1}, {1}, block_cyclic(2), "word");
  const auto tile = Array<std::byte, 1>::distribute(ranks, {kLarge}, {kLarge}, block_cyclic(2), "tile");
  const auto three = Array<int, 1>::distribute(ranks, {3}, {1}, block_cyclic(1), "three");
  std::vector<double> tasks, messages, large_tasks, gets, skipped;
  for (int i = 0; i < rounds; ++i) {
    messages.push_back(raw.there_and_back(kHops / 2));
    tasks.push_back(tasks_there_and_back(ranks, word));
    gets.push_back(raw.large(kTransfers));
    large_tasks.push_back(large_tiles(ranks, tile));
    skipped.push_back(skipped_tasks(ranks, three));
  }
  ranks.barrier();
  if (ranks.rank() != 0) return 0;
  fmt::print("{:<16} {:>10} {:>12} {:>8}\n", "us", "tasks", "messages", "ratio");
  print_row("there and back", median(tasks), median(messages), kHops / 2);
  print_row("1 MiB", median(large_tasks), median(gets), kTransfers);
  fmt::print("skipped: {:.1f} ns a task of three tiles\n", median(skipped) * 1e9 / kSkipped);
  return 0;
}

}  // namespace
}  // namespace weir::bench

int main(int argc, char** argv) {
  int workers = 1, rounds = 11;
  weir::bench::CommandLine options("Tasks over two ranks beside messages");
  options.number("--workers", workers, 1024, "of each rank; default 1")
      .number("--rounds", rounds, 1000, "medians of so many; default 11");
  if (const auto code = options.parse(argc, argv)) return *code;
  try {
    return weir::bench::run(workers, rounds);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
