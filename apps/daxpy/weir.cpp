// SPDX-License-Identifier: Apache-2.0

// DAXPY in tasks of Weir: daxpy_weir --n N, to compare with. A task for each chunk and repetition; the footprint orders
// the repetitions of a chunk, and there is no barrier.
#include <weir/weir.hpp>

#include <algorithm>
#include <memory>

#include "apps/common/plain_app.h"
#include "apps/daxpy/daxpy.h"

namespace {

struct Vectors {
  std::uint64_t n, chunk;
  std::unique_ptr<double[]> x, y;
};

void repeat_in_tasks(weir::Runtime& runtime, const Vectors& v, std::uint64_t repeat) {
  const weir::Watched<double> x(v.x.get(), v.n, v.chunk), y(v.y.get(), v.n, v.chunk);
  for (std::uint64_t i = 0; i < repeat; ++i) {
    for (std::uint64_t first = 0; first < v.n; first += v.chunk) {
      const std::uint64_t count = std::min(v.chunk, v.n - first);
      runtime.spawn(weir::in(x.range(first, count)), weir::inout(y.range(first, count)), weir::name("daxpy"),
                    [&v, first, count] { daxpy(DAXPY_FACTOR, v.x.get() + first, v.y.get() + first, count); });
    }
  }
  runtime.wait();
}

}  // namespace

int main(int argc, char** argv) {
  AppOption options[] = {DAXPY_OPTIONS};
  int status = 0;
  if (!app_start(argc, argv, DAXPY_PURPOSE "tasks.", options, &status)) return status;
  const std::uint64_t n = options[kDaxpyN].value, repeat = options[kDaxpyRepeat].value;
  weir::Runtime runtime;
  const std::uint64_t most = std::max<std::uint64_t>(1, n / (4 * static_cast<std::uint64_t>(runtime.worker_count())));
  const Vectors v{n, std::min<std::uint64_t>(most, 1 << 16), std::make_unique_for_overwrite<double[]>(n),
                  std::make_unique_for_overwrite<double[]>(n)};
  weir::parallel_for(std::uint64_t{0}, n, v.chunk, [&](std::uint64_t begin, std::uint64_t end) {
    daxpy_fill(v.x.get() + begin, v.y.get() + begin, begin, end - begin);
  });
  const double start = app_seconds();
  repeat_in_tasks(runtime, v, repeat);
  const double seconds = app_seconds() - start, sum = daxpy_sum(v.y.get(), n);
  const bool right = daxpy_wrong(v.y.get(), 0, n, repeat) == 0 && sum == daxpy_expected_sum(n, repeat);
  return app_end(right, "%llu elements with %d workers, %llu times in %.3f s, %.2f GB/s, sum %.0f",
                 static_cast<unsigned long long>(n), runtime.worker_count(), static_cast<unsigned long long>(repeat),
                 seconds, daxpy_gb_per_s(n, repeat, seconds), sum);
}
