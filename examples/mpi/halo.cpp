// SPDX-License-Identifier: Apache-2.0

// A program over MPI whose messages are tasks: what they fill and send is in their footprints, and they end when MPI
// has moved it. So the inner tiles of a step, and of the next, are computed while the edges travel, and no line says
// so.
#include <mpi.h>
#include <weir/mpi.hpp>
#include <weir/weir.hpp>

#include <array>
#include <cstdio>
#include <vector>

namespace {

constexpr int kTiles = 8, kCells = 1000, kSteps = 100;  // of each rank
using Tile = std::array<double, kCells>;

void send(weir::Runtime& runtime, const double& cell, int to, int tag) {
  runtime.spawn(weir::in(cell), [to, tag](const double& value) {
    MPI_Request request;
    MPI_Isend(&value, 1, MPI_DOUBLE, to, tag, MPI_COMM_WORLD, &request);
    weir::mpi::wait_at_end(request);  // returns at once
  });
}

void receive(weir::Runtime& runtime, double& cell, int from, int tag) {
  runtime.spawn(weir::out(cell), [from, tag](double& value) {
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, &request);
    weir::mpi::wait_at_end(request);
  });
}

// A mean of three cells, in place of heat: what a rank has in all stays what it was, around the ring of ranks.
void step(const double& before, const double& after, Tile& tile) {
  double left = before;
  for (int i = 0; i < kCells; ++i) {
    const double here = tile[i], right = i + 1 < kCells ? tile[i + 1] : after;
    tile[i] = (left + here + right) / 3;
    left = here;
  }
}

}  // namespace

int main() {
  int granted = 0, rank = 0, ranks = 1;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &granted);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  std::vector<Tile> tiles(kTiles);
  std::array<double, kTiles + 1> firsts{},
      lasts{};  // edges: firsts[t] of tile t, lasts[t + 1] of it; others' at the ends
  for (Tile& tile : tiles) tile.fill(rank);
  tiles[0][0] += 1000;
  {
    weir::Runtime runtime;
    for (int s = 0; s < kSteps; ++s) {
      for (int t = 0; t < kTiles; ++t)
        runtime.spawn(weir::in(tiles[t]), weir::out(firsts[t]), weir::out(lasts[t + 1]),
                      [](const Tile& tile, double& first, double& last) { first = tile.front(), last = tile.back(); });
      send(runtime, firsts[0], left, 0);
      send(runtime, lasts[kTiles], right, 1);
      receive(runtime, lasts[0], left, 1);
      receive(runtime, firsts[kTiles], right, 0);
      for (int t = 0; t < kTiles; ++t)
        runtime.spawn(weir::in(lasts[t]), weir::in(firsts[t + 1]), weir::inout(tiles[t]), &step);
    }
    runtime.wait();
  }
  double sum = 0, all = 0;
  for (const Tile& tile : tiles)
    for (const double cell : tile) sum += cell;
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  const double expected = 1000.0 * ranks + kTiles * kCells * (ranks * (ranks - 1) / 2.0);
  const bool kept = rank != 0 || (all - expected < 1e-6 * expected && expected - all < 1e-6 * expected);
  if (rank == 0) std::printf("%.3f of %.3f\n", all, expected);
  MPI_Finalize();
  return kept ? 0 : 1;
}
