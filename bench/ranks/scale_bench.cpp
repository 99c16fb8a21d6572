// SPDX-License-Identifier: Apache-2.0

// weir_scale_bench: what programs over many ranks cost each of them, with all ranks in one process (docs/scaling.md).
//
//   build/release/bench/ranks/weir_scale_bench [--ranks 10,100,1000] [--steps N]
//
// Each rank unrolls a whole program, as Ranks does: it counts the versions of tiles, skips what is not its own, sends
// and receives tiles by messages (src/cluster/versions.hpp, exchange.hpp), and does the tasks that are its own at once.
// What comes out is compared with one loop. Counts are exact; the time to skip is that of one rank that unrolls alone.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "cluster/exchange.hpp"
#include "cluster/tile.hpp"
#include "cluster/versions.hpp"
#include "command_line.hpp"
#include "transport/loopback/world.hpp"

namespace weir::bench {
namespace {

using cluster::Exchange;
using cluster::Move;
using cluster::TileVersion;
using cluster::Versions;
using Word = std::uint64_t;

// A task writes the first tile, on its owner, and reads the others.
struct TaskOf {
  std::uint32_t written;
  std::vector<std::uint32_t> read;
};
struct Program {
  const char* name;
  std::uint32_t tiles;
  std::vector<std::uint32_t> owners;  // of the tiles
  std::vector<TaskOf> tasks;
};

// Two tiles a rank, side by side; each takes its neighbours'.
Program stencil(std::uint32_t ranks, std::uint32_t steps) {
  Program program{"stencil", 2 * ranks, {}, {}};
  for (std::uint32_t tile = 0; tile < program.tiles; ++tile) program.owners.push_back(tile / 2);
  for (std::uint32_t step = 0; step < steps; ++step) {
    for (std::uint32_t tile = 0; tile < program.tiles; ++tile) {
      TaskOf task{tile, {}};
      if (tile > 0) task.read.push_back(tile - 1);
      if (tile + 1 < program.tiles) task.read.push_back(tile + 1);
      program.tasks.push_back(std::move(task));
    }
  }
  return program;
}

// A tiled Cholesky factorisation's tasks, of as many tiles a side as give each rank some; 2-D block-cyclic.
Program cholesky(std::uint32_t ranks, std::uint32_t) {
  std::uint32_t rows = 1;
  while ((rows + 1) * (rows + 1) <= ranks) ++rows;
  while (ranks % rows != 0) --rows;
  const std::uint32_t columns = ranks / rows, n = std::max(8u, columns);
  Program program{"cholesky", n * n, {}, {}};
  for (std::uint32_t tile = 0; tile < n * n; ++tile)
    program.owners.push_back(tile / n % rows * columns + tile % n % columns);
  const auto at = [n](std::uint32_t i, std::uint32_t j) { return i * n + j; };
  for (std::uint32_t k = 0; k < n; ++k) {
    program.tasks.push_back({at(k, k), {}});
    for (std::uint32_t i = k + 1; i < n; ++i) program.tasks.push_back({at(i, k), {at(k, k)}});
    for (std::uint32_t i = k + 1; i < n; ++i) {
      for (std::uint32_t j = k + 1; j < i; ++j) program.tasks.push_back({at(i, j), {at(i, k), at(j, k)}});
      program.tasks.push_back({at(i, i), {at(i, k)}});
    }
  }
  return program;
}

Word result_of(Word before, std::span<const Word> read) {
  Word value = before * 0x9e3779b97f4a7c15u + 1;
  for (const Word word : read) value = (value ^ word) * 0x9e3779b97f4a7c15u;
  return value;
}

std::vector<Word> run_in_one_loop(const Program& program) {
  std::vector<Word> tiles(program.tiles);
  for (const TaskOf& task : program.tasks) {
    std::vector<Word> read;
    for (const std::uint32_t tile : task.read) read.push_back(tiles[tile]);
    tiles[task.written] = result_of(tiles[task.written], read);
  }
  return tiles;
}

// One rank of the job.
class OneRank {
 public:
  OneRank(transport::Transport& transport, const Program& program)
      : transport_(transport), exchange_(transport), program_(program), tiles_(program.tiles) {
    for (const std::uint32_t owner : program.owners) versions_.emplace_back(transport.rank(), Rank{owner});
  }

  std::vector<Word> run() {
    for (const TaskOf& task : program_.tasks) unroll(task);
    if (!transport_.barrier() || !transport_.leave()) throw std::runtime_error("ranks are lost");
    return tiles_;
  }
  std::uint64_t messages() const { return sent_; }

 private:
  void unroll(const TaskOf& task) {
    const Rank self = transport_.rank(), where{program_.owners[task.written]};
    for (const std::uint32_t tile : task.read) {
      const TileVersion what{{0, tile}, versions_[tile].newest()};
      switch (versions_[tile].note_read(self, where)) {
        case Move::none: break;
        case Move::send:
          exchange_.send_small(what, where, std::as_bytes(std::span(&tiles_[tile], 1)));
          ++sent_;
          break;
        case Move::receive: receive(what, tile); break;
      }
    }
    versions_[task.written].note_write(self, where);
    if (where != self) return;
    std::vector<Word> read;
    for (const std::uint32_t tile : task.read) read.push_back(tiles_[tile]);
    tiles_[task.written] = result_of(tiles_[task.written], read);
  }
  void receive(const TileVersion& what, std::uint32_t tile) {
    bool is_told = false;
    exchange_.await(what, {&is_told, [](void*) noexcept { return false; },
                           [](void* told) noexcept { *static_cast<bool*>(told) = true; }});
    while (!is_told) {
      if (!transport_.progress()) transport_.wait_for_arrival(1000);
    }
    if (exchange_.has_failed()) throw std::runtime_error(exchange_.failure());
    const auto to = std::as_writable_bytes(std::span(&tiles_[tile], 1));
    if (!exchange_.receive(what, to, {}, [] { return nullptr; }))
      throw std::runtime_error("a tile of one word is far away");
  }

  transport::Transport& transport_;
  Exchange exchange_;
  const Program& program_;
  std::vector<Versions> versions_;
  std::vector<Word> tiles_;
  std::uint64_t sent_ = 0;  // tiles
};

struct Counts {
  std::uint64_t tasks = 0, messages = 0;
};

// Of each rank.
std::vector<Counts> run_on(std::uint32_t ranks, const Program& program) {
  const std::vector<Word> expected = run_in_one_loop(program);
  std::vector<Counts> counts(ranks);
  for (const TaskOf& task : program.tasks) ++counts[program.owners[task.written]].tasks;
  const auto outcome = transport::loopback::run(
      {.ranks = ranks, .ranks_per_host = 100, .most_turns = ~std::uint64_t{0}}, [&](transport::Transport& transport) {
        OneRank rank(transport, program);
        const auto self = static_cast<std::uint32_t>(transport.rank());
        const std::vector<Word> found = rank.run();
        counts[self].messages = rank.messages();
        for (std::uint32_t tile = 0; tile < program.tiles; ++tile)
          if (program.owners[tile] == self && found[tile] != expected[tile])
            throw std::runtime_error(fmt::format("tile {} is not what one loop makes of it", tile));
      });
  if (!outcome.failures.empty()) throw std::runtime_error(outcome.failures.front());
  return counts;
}

// What a rank spends on each tile that a task of others names: the counting of versions alone.
double ns_to_skip(const Program& program) {
  const Rank self{~std::uint32_t{0}};  // owns nothing
  std::vector<Versions> versions;
  for (const std::uint32_t owner : program.owners) versions.emplace_back(self, Rank{owner});
  std::vector<double> all;
  std::uint64_t named = 0;
  for (int round = 0; round < 11; ++round) {
    named = 0;
    const auto start = std::chrono::steady_clock::now();
    for (const TaskOf& task : program.tasks) {
      const Rank where{program.owners[task.written]};
      for (const std::uint32_t tile : task.read)
        if (versions[tile].note_read(self, where) != Move::none) throw std::logic_error("a rank that owns nothing");
      versions[task.written].note_write(self, where);
      named += task.read.size() + 1;
    }
    all.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(all.begin(), all.begin() + 5, all.end());
  return all[5] / static_cast<double>(named);
}

void print(std::uint32_t ranks, const Program& program) {
  const std::vector<Counts> counts = run_on(ranks, program);
  Counts sum, most;
  for (const Counts& each : counts) {
    sum = {sum.tasks + each.tasks, sum.messages + each.messages};
    most = {std::max(most.tasks, each.tasks), std::max(most.messages, each.messages)};
  }
  fmt::print("{:<10} {:>6} {:>8} {:>10.1f} {:>10} {:>12.2f} {:>10} {:>12} {:>10.1f}\n", program.name, ranks, sum.tasks,
             double(sum.tasks) / ranks, sum.messages, double(sum.messages) / double(sum.tasks), most.messages,
             program.tiles * sizeof(detail::RankedTile), ns_to_skip(program));
  std::fflush(stdout);
}

}  // namespace
}  // namespace weir::bench

int main(int argc, char** argv) {
  std::vector<int> ranks{10, 100, 1000};
  int steps = 5;
  weir::bench::CommandLine options("What programs over many ranks cost each of them");
  options.numbers("--ranks", ranks, 1000, "numbers of ranks; default 10,100,1000")
      .number("--steps", steps, 1000, "of the stencil; default 5");
  if (const auto code = options.parse(argc, argv)) return *code;
  try {
    fmt::print("{:<10} {:>6} {:>8} {:>10} {:>10} {:>12} {:>10} {:>12} {:>10}\n", "program", "ranks", "tasks",
               "tasks/rank", "messages", "msgs/task", "most/rank", "bytes/rank", "ns/tile");
    for (const auto make : {weir::bench::stencil, weir::bench::cholesky})
      for (const std::uint32_t n : ranks) weir::bench::print(n, make(n, steps));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
