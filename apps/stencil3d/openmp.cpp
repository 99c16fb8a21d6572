// SPDX-License-Identifier: Apache-2.0

// A parallel loop over the blocks for each iteration, with the barrier that ends it. With a folder the blocks are in a
// mapped file there, and what is in memory is for the kernel to decide.
#include "apps/common/isolated.hpp"
#include "apps/common/stopwatch.hpp"
#include "apps/stencil3d/plain_grid.hpp"

namespace weir::apps::stencil3d {

Outcome run_openmp(const Settings& settings) {
  const Shape& shape = settings.shape;
  PlainGrid grid(settings, settings.folder);
  Outcome outcome;
  outcome.budget_bytes = settings.folder.empty() ? 0 : settings.budget;
  outcome.result.resize(static_cast<std::size_t>(shape.block_count()));
#pragma omp parallel for num_threads(settings.threads)
  for (Index b = 0; b < shape.block_count(); ++b) grid.fill(b);

  const std::uint64_t stored = storage_bytes();
  const Stopwatch watch;
#pragma omp parallel num_threads(settings.threads)
  {
    const Scratch scratch(settings);
    for (Index k = 0; k < shape.iterations; ++k) {
#pragma omp for schedule(dynamic)
      for (Index b = 0; b < shape.block_count(); ++b) grid.work_on(b, k, scratch.data());
    }
  }
  outcome.seconds = watch.seconds();
  outcome.bytes_fetched = storage_bytes() - stored;

#pragma omp parallel for num_threads(settings.threads)
  for (Index b = 0; b < shape.block_count(); ++b) outcome.result[static_cast<std::size_t>(b)] = grid.checksum(b);
  return outcome;
}

}  // namespace weir::apps::stencil3d
