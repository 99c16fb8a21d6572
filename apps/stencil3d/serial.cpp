// SPDX-License-Identifier: Apache-2.0

// One thread, iteration by iteration: what all others are compared with.
#include "apps/common/stopwatch.hpp"
#include "apps/stencil3d/plain_grid.hpp"

namespace weir::apps::stencil3d {

Outcome run_serial(const Settings& settings) {
  const Shape& shape = settings.shape;
  PlainGrid grid(settings, "");
  const Scratch scratch(settings);
  for (Index b = 0; b < shape.block_count(); ++b) grid.fill(b);
  Outcome outcome;
  const Stopwatch watch;
  for (const Step& step : naive_order(shape)) grid.work_on(step.block, step.iteration, scratch.data());
  outcome.seconds = watch.seconds();
  for (Index b = 0; b < shape.block_count(); ++b) outcome.result.push_back(grid.checksum(b));
  return outcome;
}

}  // namespace weir::apps::stencil3d
