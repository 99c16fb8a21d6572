// SPDX-License-Identifier: Apache-2.0

// Heat in a plate by Jacobi's method in tasks of Weir: heat2d_weir --n N --iterations I, to compare with. A task for
// each block of rows and iteration; footprints order them, and there is no barrier.
#include <weir/weir.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

#include "apps/common/plain_app.h"
#include "apps/heat2d/heat2d.h"

namespace {

struct Plate {
  std::uint64_t n, block;
  std::unique_ptr<double[]> cells[2];

  std::uint64_t width() const { return n + 2; }
};

void iterate_in_tasks(weir::Runtime& runtime, const Plate& plate, std::uint64_t iterations) {
  const std::uint64_t width = plate.width();
  const weir::Watched<double> watched[] = {{plate.cells[0].get(), width, width, width, plate.block, width},
                                           {plate.cells[1].get(), width, width, width, plate.block, width}};
  for (std::uint64_t i = 0; i < iterations; ++i) {
    const int from = static_cast<int>(i % 2), to = 1 - from;
    for (std::uint64_t begin = 0; begin < width; begin += plate.block) {
      const std::uint64_t first = std::max<std::uint64_t>(begin, 1), last = std::min(begin + plate.block, width - 1);
      if (first >= last) continue;
      runtime.spawn(
          weir::in(watched[from].rows(first - 1, last - first + 2)), weir::inout(watched[to].rows(first, last - first)),
          weir::name("sweep"), [&plate, from, to, first, last, width] {
            const std::uint64_t offset = (first - 1) * width;
            heat_sweep(plate.cells[from].get() + offset, plate.cells[to].get() + offset, plate.n, last - first);
          });
    }
  }
  runtime.wait();
}

}  // namespace

int main(int argc, char** argv) {
  AppOption options[] = {HEAT2D_OPTIONS};
  int status = 0;
  if (!app_start(argc, argv, HEAT2D_PURPOSE "tasks.", options, &status)) return status;
  const std::uint64_t n = options[kHeatN].value, iterations = options[kHeatIterations].value;
  weir::Runtime runtime;
  const std::uint64_t blocks = 4 * static_cast<std::uint64_t>(runtime.worker_count());
  Plate plate{n, std::max<std::uint64_t>(1, (n + 2) / blocks), {}};
  for (auto& cells : plate.cells) {
    cells = std::make_unique_for_overwrite<double[]>((n + 2) * (n + 2));
    heat_fill(cells.get(), n, 0, n + 2);
  }
  const double start = app_seconds();
  iterate_in_tasks(runtime, plate, iterations);
  const double seconds = app_seconds() - start;
  const double error = heat_error(plate.cells[iterations % 2].get(), n, iterations, 0, n + 2);
  return app_end(error <= HEAT2D_TOLERANCE,
                 "%llu x %llu points with %d workers, %llu iterations in %.3f s, %.1f million updates/s, error %.1e",
                 static_cast<unsigned long long>(n), static_cast<unsigned long long>(n), runtime.worker_count(),
                 static_cast<unsigned long long>(iterations), seconds,
                 heat_updates_per_s(n, iterations, seconds) * 1e-6, error);
}
