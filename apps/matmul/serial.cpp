// SPDX-License-Identifier: Apache-2.0

// One thread, tile by tile of C.
#include "apps/common/stopwatch.hpp"
#include "apps/matmul/plain_tiles.hpp"

namespace weir::apps::matmul {

Outcome run_serial(const Settings& settings) {
  const Index tiles = settings.shape.tiles();
  PlainTiles matrices(settings.shape, "");
  for (Index t = 0; t < tiles * tiles; ++t) matrices.fill(t / tiles, t % tiles);
  Outcome outcome;
  const Stopwatch watch;
  for (const Step& step : naive_order(tiles)) matrices.work_on(step);
  outcome.seconds = watch.seconds();
  Checker checker(settings.shape);
  for (Index t = 0; t < tiles * tiles; ++t) matrices.check(checker, t / tiles, t % tiles);
  outcome.wrong = checker.verdict();
  return outcome;
}

}  // namespace weir::apps::matmul
