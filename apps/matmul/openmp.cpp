// SPDX-License-Identifier: Apache-2.0

// A parallel loop over the tiles of a superblock of C, for each k of it. With a folder the matrices are in a mapped
// file there, and what is in memory is for the kernel to decide; the order of the work is the same as Weir's.
#include "apps/common/isolated.hpp"
#include "apps/common/stopwatch.hpp"
#include "apps/matmul/plain_tiles.hpp"

namespace weir::apps::matmul {
namespace {

// The steps from `first` on that write different tiles of C: those with one k, in one superblock.
std::size_t end_of_phase(const std::vector<Step>& steps, std::size_t first, const Superblock& s) {
  const auto same = [&](const Step& step) {
    return step.k == steps[first].k && step.i / s.rows == steps[first].i / s.rows &&
           step.j / s.cols == steps[first].j / s.cols;
  };
  std::size_t end = first + 1;
  while (end < steps.size() && same(steps[end])) ++end;
  return end;
}

}  // namespace

Outcome run_openmp(const Settings& settings) {
  const Index tiles = settings.shape.tiles();
  PlainTiles matrices(settings.shape, settings.folder);
  Outcome outcome;
  outcome.budget_bytes = settings.folder.empty() ? 0 : settings.budget;
#pragma omp parallel for num_threads(settings.threads)
  for (Index t = 0; t < tiles * tiles; ++t) matrices.fill(t / tiles, t % tiles);

  // The plain order has a parallel loop over C; its k then is each thread's own.
  const bool plain = settings.order == Order::naive;
  const std::vector<Step> steps = order_of(settings);
  const std::uint64_t stored = storage_bytes();
  const Stopwatch watch;
  if (plain) {
#pragma omp parallel for schedule(dynamic) num_threads(settings.threads)
    for (Index t = 0; t < tiles * tiles; ++t) {
      for (Index k = 0; k < tiles; ++k) matrices.work_on({t / tiles, t % tiles, k, k == 0});
    }
  }
  for (std::size_t first = 0; !plain && first < steps.size();) {
    const std::size_t end = end_of_phase(steps, first, superblock_of(settings));
#pragma omp parallel for schedule(dynamic) num_threads(settings.threads)
    for (std::size_t step = first; step < end; ++step) matrices.work_on(steps[step]);
    first = end;
  }
  outcome.seconds = watch.seconds();
  outcome.bytes_fetched = storage_bytes() - stored;

  Checker checker(settings.shape);
#pragma omp parallel for num_threads(settings.threads)
  for (Index t = 0; t < tiles * tiles; ++t) matrices.check(checker, t / tiles, t % tiles);
  outcome.wrong = checker.verdict();
  return outcome;
}

}  // namespace weir::apps::matmul
