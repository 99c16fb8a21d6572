// SPDX-License-Identifier: Apache-2.0

// weir-ranks-cholesky-asleep [option...]: the tasks of Cholesky's factorisation over ranks, each of which sleeps for as
// long, compared with others of them, as its arithmetic takes.
//
// What it takes beyond the tasks' own time is due to the order in which each rank runs them and to messages, whatever
// else the processors do meanwhile. Rank 0 checks that each tile was written as often as it is in the algorithm.
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "apps/common/median.hpp"
#include "apps/common/stopwatch.hpp"
#include "apps/ranks/cholesky.hpp"
#include "apps/ranks/main.hpp"
#include "bench/ranks/command_line.hpp"
#include "weir/ranks.hpp"

namespace weir::apps::ranks {
namespace {

struct Asked {
  int tiles = 16, tile = 64, sleep_us = 500, workers = 1, repeat = 3;
};

// Of the tasks' times, by tiles of 128: that of a product is 1.
constexpr double kFactor = 0.22, kSolve = 0.55, kSquare = 0.52, kProduct = 1;

class Tasks {
 public:
  Tasks(Ranks& ranks, const Asked& asked)
      : ranks_(ranks),
        sleep_us_(asked.sleep_us),
        a_(Array<double, 2>::distribute(ranks, {side(asked), side(asked)}, {tile(asked), tile(asked)},
                                        distribution(ranks.size()), "a")) {}

  const Array<double, 2>& array() const { return a_; }
  // Of all tasks, in seconds.
  double seconds(std::size_t tiles) const {
    const auto t = static_cast<double>(tiles), pairs = t * (t - 1) / 2;
    return (t * kFactor + pairs * (kSolve + kSquare) + pairs * (t - 2) / 3 * kProduct) * sleep_us_ / 1e6;
  }
  void clear(std::size_t tiles) {
    for (std::size_t i = 0; i < tiles * tiles; ++i)
      ranks_.spawn(out(a_.tile(i / tiles, i % tiles)), [](View2D<double> a) { a(0, 0) = 0; });
  }
  void factor(std::size_t k) {
    ranks_.spawn(inout(a_.tile(k, k)), name("potrf"), [this](View2D<double> a) { work(kFactor, a); });
  }
  void solve(std::size_t k, std::size_t i) {
    ranks_.spawn(in(a_.tile(k, k)), inout(a_.tile(i, k)), name("trsm"),
                 [this](View2D<const double>, View2D<double> a) { work(kSolve, a); });
  }
  void subtract_square(std::size_t k, std::size_t i) {
    ranks_.spawn(in(a_.tile(i, k)), inout(a_.tile(i, i)), name("syrk"),
                 [this](View2D<const double>, View2D<double> a) { work(kSquare, a); });
  }
  void subtract_product(std::size_t k, std::size_t i, std::size_t j) {
    ranks_.spawn(in(a_.tile(i, k)), in(a_.tile(j, k)), inout(a_.tile(i, j)), name("gemm"),
                 [this](View2D<const double>, View2D<const double>, View2D<double> a) { work(kProduct, a); });
  }

 private:
  static std::size_t tile(const Asked& asked) { return static_cast<std::size_t>(asked.tile); }
  static std::size_t side(const Asked& asked) { return tile(asked) * static_cast<std::size_t>(asked.tiles); }
  static Distribution distribution(int ranks) {
    const Grid grid(ranks);
    return block_cyclic_2d(grid.rows, grid.columns);
  }
  void work(double part, View2D<double> a) const {
    std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(part * sleep_us_));
    a(0, 0) += 1;
  }

  Ranks& ranks_;
  const double sleep_us_;  // us, of a product
  Array<double, 2> a_;
};

// A tile of column j is written once by each of the columns before, and once by its own.
std::string wrong_in(const std::vector<double>& a, std::size_t tiles, std::size_t tile) {
  for (std::size_t i = 0; i < tiles; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double writes = a[(i * tiles * tile + j) * tile];
      if (writes != static_cast<double>(j + 1))
        return "tile " + std::to_string(i) + "," + std::to_string(j) + " was written " + std::to_string(writes) +
               " times";
    }
  }
  return "";
}

int measure(Ranks& ranks, const Asked& asked) {
  const auto tiles = static_cast<std::size_t>(asked.tiles), tile = static_cast<std::size_t>(asked.tile);
  Tasks tasks(ranks, asked);
  const double least = tasks.seconds(tiles) / (ranks.size() * asked.workers);
  std::vector<double> seconds, received;
  std::vector<double> a(ranks.rank() == 0 ? tiles * tiles * tile * tile : 0);
  for (int i = 0; i < asked.repeat; ++i) {
    tasks.clear(tiles);
    ranks.barrier();
    const auto before = ranks.traffic().bytes_received;
    const Stopwatch watch;
    spawn_cholesky(tasks, tiles);
    ranks.barrier();
    seconds.push_back(watch.seconds());
    received.push_back(static_cast<double>(ranks.traffic().bytes_received - before));
    gather(ranks, tasks.array(), a.data());
    ranks.barrier();
    const std::string wrong = ranks.rank() == 0 ? wrong_in(a, tiles, tile) : "";
    if (!wrong.empty()) return std::fprintf(stderr, "cholesky-asleep: %s\n", wrong.c_str()), 1;
  }
  if (ranks.rank() != 0) return 0;
  std::printf("%zu tasks on %d ranks: %.1f ms, %.3f of their time divided by %d workers; %.2f MiB came to rank 0\n",
              tasks_of(tiles), ranks.size(), median(seconds) * 1e3, median(seconds) / least,
              ranks.size() * asked.workers, median(received) / (1 << 20));
  return 0;
}

int run(int argc, char** argv) {
  Asked asked;
  bench::CommandLine line("weir-ranks-cholesky-asleep: the tasks of Cholesky's factorisation, which sleep, over ranks");
  line.number("--tiles", asked.tiles, 1000, "in each direction; default 16")
      .number("--tile", asked.tile, 10000, "rows of a tile; default 64")
      .number("--sleep", asked.sleep_us, 1'000'000, "us that the largest task sleeps; default 500")
      .number("--workers", asked.workers, 4096, "of each rank; default 1")
      .number("--repeat", asked.repeat, 1000, "times; default 3");
  if (const auto code = line.parse(argc, argv)) return *code;
  Options options = Options::from_environment();
  options.workers = asked.workers;
  Ranks ranks(options);
  return measure(ranks, asked);
}

}  // namespace
}  // namespace weir::apps::ranks

int main(int argc, char** argv) { return weir::apps::ranks::main_of(weir::apps::ranks::run, argc, argv); }
