// SPDX-License-Identifier: Apache-2.0

// The paper's OpenMP form: a parallel loop over rows for each phase. The static schedule gives a thread the same rows
// each time, so what fits in its caches stays there.
#include "apps/seismic/solver.hpp"
#include "weir/error.hpp"

namespace weir::apps::seismic {
namespace {

class OpenMp final : public Solver {
 public:
  explicit OpenMp(const Settings& settings) : kernels_(*settings.kernels), threads_(settings.threads) {
    int started = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : started)
    started += 1;
    if (started != threads_)
      throw Error("openmp: fewer threads than asked for (OMP_THREAD_LIMIT or OMP_DYNAMIC is set?)");
  }

  void run(const Fields& fields, const Source& source, Index first, Index count) override {
    for (Index k = first; k < first + count; ++k) {
#pragma omp parallel for schedule(static) num_threads(threads_)
      for (Index y = 0; y < fields.rows; ++y) kernels_.stress_row(fields, y);
#pragma omp parallel for schedule(static) num_threads(threads_)
      for (Index y = 0; y < fields.rows; ++y) kernels_.velocity_row(fields, y);
      add_pulse(fields, source, k);
    }
  }

 private:
  const Kernels& kernels_;
  int threads_;
};

}  // namespace

std::unique_ptr<Solver> start_openmp(const Settings& settings) { return std::make_unique<OpenMp>(settings); }

}  // namespace weir::apps::seismic
