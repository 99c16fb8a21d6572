// SPDX-License-Identifier: Apache-2.0

// oneTBB: parallel_for over a blocked_range2d of tiles, with each of its partitioners. A wavefront is a loop for each
// anti-diagonal.
#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <map>

#include "bench/prk/contender.hpp"

namespace weir::prk {
namespace {

template <class Partitioner>
void run_phase(Kernel& kernel, int phase, Partitioner& partitioner) {
  const Grid grid = kernel.grid(phase);
  if (!grid.wavefront) {
    using Range = tbb::blocked_range2d<int>;
    tbb::parallel_for(
        Range(0, grid.rows, 1, 0, grid.columns, 1),
        [&kernel, phase](const Range& range) {
          for (int r = range.rows().begin(); r != range.rows().end(); ++r)
            for (int c = range.cols().begin(); c != range.cols().end(); ++c) kernel.run({phase, r, c});
        },
        partitioner);
    return;
  }
  for (int d = 0; d < diagonals_of(grid); ++d) {
    const Diagonal diagonal = diagonal_of(grid, d);
    using Range = tbb::blocked_range<int>;
    tbb::parallel_for(
        Range(diagonal.first, diagonal.last + 1, 1),
        [&kernel, phase, d](const Range& range) {
          for (int r = range.begin(); r != range.end(); ++r) kernel.run({phase, r, d - r});
        },
        partitioner);
  }
}

template <class Partitioner>
void run_all(Kernel& kernel, int iterations) {
  std::map<int, Partitioner> partitioners;  // one a loop: affinity_partitioner remembers where a loop's parts ran
  for (int i = 0; i < iterations; ++i)
    for (int phase = 0; phase < kernel.phases(); ++phase) run_phase(kernel, phase, partitioners[phase]);
}

class TbbContender final : public Contender {
 public:
  explicit TbbContender(int workers)
      : limit_(tbb::global_control::max_allowed_parallelism, std::size_t(workers)), arena_(workers) {}

  std::vector<std::string> ways() const override { return {"auto", "simple", "static", "affinity"}; }
  void initialise(Kernel& kernel) override {
    const Grid grid = kernel.grid(0);
    arena_.execute([&] {
      tbb::parallel_for(0, grid.rows, [&](int r) {
        for (int c = 0; c < grid.columns; ++c) kernel.initialise(r, c);
      });
    });
  }
  void run(Kernel& kernel, int iterations, std::size_t way) override {
    arena_.execute([&] {
      if (way == 0) run_all<tbb::auto_partitioner>(kernel, iterations);
      if (way == 1) run_all<tbb::simple_partitioner>(kernel, iterations);
      if (way == 2) run_all<tbb::static_partitioner>(kernel, iterations);
      if (way == 3) run_all<tbb::affinity_partitioner>(kernel, iterations);
    });
  }

 private:
  tbb::global_control limit_;
  tbb::task_arena arena_;
};

}  // namespace

std::unique_ptr<Contender> make_contender(int workers) { return std::make_unique<TbbContender>(workers); }

}  // namespace weir::prk
