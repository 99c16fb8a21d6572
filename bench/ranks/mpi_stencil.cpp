// SPDX-License-Identifier: Apache-2.0

// weir_mpi_stencil: a stencil in one dimension over ranks of MPI, written in three ways, in turns in one run.
//
//   mpirun -n 2 build/release/bench/ranks/weir_mpi_stencil_openmpi [--workers N] [--tiles N] [--cells N] [--steps N]
//
//   blocking   MPI_Sendrecv() for the edges, then the tiles, one after the other (OpenMP's parallel for with more
//   threads) openmp     a task for each tile and step, and one for the edges of each neighbour, in which MPI_Sendrecv()
//   waits weir       a task for each tile and step, and tasks for edges that end with their requests (weir/mpi.hpp)
//
// All compute the same values, which are compared bit by bit. us of a step, medians.
#include <fmt/format.h>
#include <mpi.h>
#include <omp.h>
#include <weir/mpi.hpp>
#include <weir/weir.hpp>

#include <algorithm>
#include <chrono>
#include <vector>

#include "command_line.hpp"

namespace weir::bench {
namespace {

struct Shape {
  int workers = 1, tiles = 16, cells = 10'000, steps = 200, rounds = 5;
};

// What one rank has: tiles, and their edges before the step, at 1 to tiles; those of its neighbours at the ends.
struct Line {
  explicit Line(const Shape& shape)
      : tiles(static_cast<std::size_t>(shape.tiles), std::vector<double>(static_cast<std::size_t>(shape.cells))),
        firsts(tiles.size() + 2),
        lasts(tiles.size() + 2) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (std::size_t t = 0; t < tiles.size(); ++t)
      for (std::size_t i = 0; i < tiles[t].size(); ++i)
        tiles[t][i] = static_cast<double>((static_cast<std::size_t>(rank) * 7919 + t * 104729 + i * 31) % 1000);
  }
  int left() const { return rank > 0 ? rank - 1 : MPI_PROC_NULL; }
  int right() const { return rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL; }

  void take_edges(std::size_t t) {
    firsts[t + 1] = tiles[t].front();
    lasts[t + 1] = tiles[t].back();
  }
  void step(std::size_t t) {
    double before = lasts[t];
    std::vector<double>& tile = tiles[t];
    for (std::size_t i = 0; i < tile.size(); ++i) {
      const double here = tile[i], after = i + 1 < tile.size() ? tile[i + 1] : firsts[t + 2];
      tile[i] = 0.25 * before + 0.5 * here + 0.25 * after;
      before = here;
    }
  }
  // Waits: the own edge of that side goes, the neighbour's comes.
  void exchange(bool to_left) {
    double& mine = to_left ? firsts[1] : lasts[tiles.size()];
    double& theirs = to_left ? lasts[0] : firsts[tiles.size() + 1];
    const int other = to_left ? left() : right();
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, other, 0, &theirs, 1, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  int rank = 0, ranks = 1;
  std::vector<std::vector<double>> tiles;
  std::vector<double> firsts, lasts;
};

void run_blocking(const Shape& shape, Line& line) {
  const std::size_t tiles = line.tiles.size();
  for (int s = 0; s < shape.steps; ++s) {
    for (std::size_t t = 0; t < tiles; ++t) line.take_edges(t);
    line.exchange(true);
    line.exchange(false);
#pragma omp parallel for num_threads(shape.workers) schedule(static)
    for (std::size_t t = 0; t < tiles; ++t) line.step(t);
  }
}

void spawn_openmp(const Shape& shape, Line& line) {
  [[maybe_unused]] double *const firsts = line.firsts.data(), *const lasts = line.lasts.data();
  const std::size_t tiles = line.tiles.size();
  for (int s = 0; s < shape.steps; ++s) {
    for (std::size_t t = 0; t < tiles; ++t) {
#pragma omp task shared(line) depend(inout : line.tiles[t]) depend(out : firsts[t + 1], lasts[t + 1]) firstprivate(t)
      line.take_edges(t);
    }
#pragma omp task shared(line) depend(in : firsts[1]) depend(out : lasts[0])
    line.exchange(true);
#pragma omp task shared(line) depend(in : lasts[tiles]) depend(out : firsts[tiles + 1])
    line.exchange(false);
    for (std::size_t t = 0; t < tiles; ++t) {
#pragma omp task shared(line) depend(inout : line.tiles[t]) depend(in : lasts[t], firsts[t + 2]) firstprivate(t)
      line.step(t);
    }
  }
}

void run_openmp(const Shape& shape, Line& line) {
#pragma omp parallel num_threads(shape.workers)
#pragma omp single
  spawn_openmp(shape, line);
}

void spawn_send(Runtime& runtime, const double& edge, int to) {
  if (to == MPI_PROC_NULL) return;
  runtime.spawn(in(edge), Priority::urgent, [to](const double& value) {
    MPI_Request request;
    MPI_Isend(&value, 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD, &request);
    mpi::wait_at_end(request);
  });
}

void spawn_receive(Runtime& runtime, double& edge, int from) {
  if (from == MPI_PROC_NULL) return;
  runtime.spawn(out(edge), Priority::urgent, [from](double& value) {
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, &request);
    mpi::wait_at_end(request);
  });
}

void run_weir(Runtime& runtime, const Shape& shape, Line& line) {
  const std::size_t tiles = line.tiles.size();
  for (int s = 0; s < shape.steps; ++s) {
    for (std::size_t t = 0; t < tiles; ++t)
      runtime.spawn(in(object(line.tiles[t])), out(line.firsts[t + 1]), out(line.lasts[t + 1]),
                    [&line, t] { line.take_edges(t); });
    spawn_send(runtime, line.firsts[1], line.left());
    spawn_send(runtime, line.lasts[tiles], line.right());
    spawn_receive(runtime, line.lasts[0], line.left());
    spawn_receive(runtime, line.firsts[tiles + 1], line.right());
    for (std::size_t t = 0; t < tiles; ++t)
      runtime.spawn(inout(object(line.tiles[t])), in(line.lasts[t]), in(line.firsts[t + 2]),
                    [&line, t] { line.step(t); });
  }
  runtime.wait();
}

template <class Run>
double us_of_a_step(const Shape& shape, std::vector<std::vector<double>>& result, Run&& run) {
  Line line(shape);
  MPI_Barrier(MPI_COMM_WORLD);
  const auto start = std::chrono::steady_clock::now();
  run(line);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  if (!result.empty() && result != line.tiles) {
    fmt::print(stderr, "rank {}: two ways of one stencil have different results\n", line.rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  result = std::move(line.tiles);
  return took.count() / shape.steps;
}

double median(std::vector<double> all) {
  std::nth_element(all.begin(), all.begin() + static_cast<long>(all.size() / 2), all.end());
  return all[all.size() / 2];
}

int measure(const Shape& shape) {
  int granted = 0, rank = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &granted);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    Options options = Options::from_environment();
    options.workers = shape.workers;
    Runtime runtime(options);
    std::vector<double> blocking, openmp, weir;
    std::vector<std::vector<double>> result;
    for (int round = 0; round < shape.rounds; ++round) {
      blocking.push_back(us_of_a_step(shape, result, [&](Line& line) { run_blocking(shape, line); }));
      openmp.push_back(us_of_a_step(shape, result, [&](Line& line) { run_openmp(shape, line); }));
      weir.push_back(us_of_a_step(shape, result, [&](Line& line) { run_weir(runtime, shape, line); }));
    }
    if (rank == 0)
      fmt::print("us of a step of {} tiles of {} cells: blocking {:.1f}, openmp {:.1f}, weir {:.1f}\n", shape.tiles,
                 shape.cells, median(blocking), median(openmp), median(weir));
  }
  MPI_Finalize();
  return 0;
}

}  // namespace
}  // namespace weir::bench

int main(int argc, char** argv) {
  weir::bench::Shape shape;
  weir::bench::CommandLine options("A stencil over ranks of MPI in three ways");
  options.number("--workers", shape.workers, 1024, "of each rank; default 1")
      .number("--tiles", shape.tiles, 100'000, "of each rank; default 16")
      .number("--cells", shape.cells, 100'000'000, "of each tile; default 10000")
      .number("--steps", shape.steps, 1'000'000, "default 200")
      .number("--rounds", shape.rounds, 1000, "medians of so many; default 5");
  if (const auto code = options.parse(argc, argv)) return *code;
  try {
    return weir::bench::measure(shape);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
