// SPDX-License-Identifier: Apache-2.0

// A runtime of tasks in each PE: blocks of rows are tasks, and neighbours exchange rows by OpenSHMEM, without a
// barrier.
//
// A task that exchanges rows puts its own, and waits for the neighbour's. Footprints order it with the blocks that
// border on it; other workers compute the rest while it waits.
#include <shmem.h>

#include <algorithm>
#include <cstdio>
#include <vector>
#include <weir/weir.hpp>

namespace {

constexpr std::size_t kCols = 256, kRows = 128, kBlock = 32;  // rows of each PE, between its two margins
constexpr long kSweeps = 50;
long arrived[2];  // symmetric: sweeps of which a row has come from above, from below

struct Plate {
  double* cells = static_cast<double*>(shmem_align(64, (kRows + 2) * kCols * sizeof(double)));
  weir::Watched<double> rows{cells, kRows + 2, kCols, kCols, 1, kCols};
  Plate() {
    std::fill_n(cells, (kRows + 2) * kCols, 0.0);
    if (shmem_my_pe() == 0) std::fill_n(cells, kCols, 1.0);  // the upper edge is warm
  }
};

void relax(const double* from, double* to, std::size_t first, std::size_t count) {
  for (std::size_t y = first; y < first + count; ++y) {
    const double* row = from + y * kCols;
    for (std::size_t x = 1; x + 1 < kCols; ++x)
      to[y * kCols + x] = (row[x - 1] + row[x + 1] + row[x - kCols] + row[x + kCols]) / 4;
  }
}

void exchange(double* cells, bool above, long sweep) {
  const int other = shmem_my_pe() + (above ? -1 : 1);
  shmem_double_put(cells + (above ? kRows + 1 : 0) * kCols, cells + (above ? 1 : kRows) * kCols, kCols, other);
  shmem_fence();
  shmem_long_p(&arrived[above ? 1 : 0], sweep, other);
  shmem_long_wait_until(&arrived[above ? 0 : 1], SHMEM_CMP_GE, sweep);
}

void spawn_sweep(weir::Runtime& runtime, const Plate& from, const Plate& to, long sweep) {
  for (std::size_t first = 1; first <= kRows; first += kBlock)
    runtime.spawn(weir::in(from.rows.rows(first - 1, kBlock + 2)), weir::inout(to.rows.rows(first, kBlock)),
                  [&from, &to, first] { relax(from.cells, to.cells, first, kBlock); });
  for (const bool above : {true, false}) {
    if (shmem_my_pe() == (above ? 0 : shmem_n_pes() - 1)) continue;  // no neighbour there
    runtime.spawn(weir::in(to.rows.rows(above ? 1 : kRows, 1)), weir::inout(to.rows.rows(above ? 0 : kRows + 1, 1)),
                  [&to, above, sweep] { exchange(to.cells, above, sweep); });
  }
}

// The whole plate by one loop: are our rows of it what we have?
bool is_right(const Plate& plate) {
  const std::size_t rows = kRows * static_cast<std::size_t>(shmem_n_pes());
  std::vector<double> whole[2];
  for (auto& cells : whole) {
    cells.resize((rows + 2) * kCols);
    std::fill_n(cells.begin(), kCols, 1.0);
  }
  for (long sweep = 1; sweep <= kSweeps; ++sweep)
    relax(whole[(sweep + 1) % 2].data(), whole[sweep % 2].data(), 1, rows);
  const double* ours = whole[kSweeps % 2].data() + (kRows * static_cast<std::size_t>(shmem_my_pe()) + 1) * kCols;
  return std::equal(ours, ours + kRows * kCols, plate.cells + kCols);
}

bool run() {
  const Plate plates[2];
  weir::Runtime runtime;
  shmem_barrier_all();  // all have made their plates
  for (long sweep = 1; sweep <= kSweeps; ++sweep)
    spawn_sweep(runtime, plates[(sweep + 1) % 2], plates[sweep % 2], sweep);
  runtime.wait();
  return is_right(plates[kSweeps % 2]);
}

}  // namespace

int main() {
  int provided = 0;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);  // any worker may communicate
  const bool right = run();
  std::printf("PE %d of %d: %s\n", shmem_my_pe(), shmem_n_pes(), right ? "as by one loop" : "WRONG");
  shmem_finalize();
  return right ? 0 : 1;
}
