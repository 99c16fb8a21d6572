// SPDX-License-Identifier: Apache-2.0

// The tasks of weir-blocks over watched memory: what the decomposition costs by itself, without blocks.
#include <algorithm>
#include <limits>

#include "apps/seismic/band_plan.hpp"
#include "apps/seismic/solver.hpp"
#include "weir/weir.hpp"

namespace weir::apps::seismic {
namespace {

template <class T>
Watched<T> watched_rows(T* data, const Fields& f, const BandLayout& layout) {
  return Watched<T>(data, size(f.rows), size(f.cols), size(f.stride), size(layout.band_rows), size(f.cols));
}

struct WatchedBands {
  WatchedBands(const Fields& f, const BandLayout& layout)
      : velocity(watched_rows(f.velocity, f, layout)),
        stress_x(watched_rows(f.stress_x, f, layout)),
        stress_y(watched_rows(f.stress_y, f, layout)),
        material(watched_rows(f.material, f, layout)),
        damping(watched_rows(f.damping, f, layout)),
        inverse_density(watched_rows(f.inverse_density, f, layout)) {}

  Watched<double> velocity, stress_x, stress_y;
  Watched<const double> material, damping, inverse_density;
};

class WeirBands final : public Solver {
 public:
  explicit WeirBands(const Settings& settings)
      : kernels_(*settings.kernels), tiling_(settings.tiling), runtime_(settings.runtime) {}

  void run(const Fields& fields, const Source& source, Index first, Index count) override {
    const BandLayout layout = band_layout(fields.rows, fields.cols, tiling_.rows);
    const WatchedBands arrays(fields, layout);
    for (const BandTask& task :
         plan_bands(layout, first, count, runtime_.worker_count(), std::numeric_limits<Index>::max())) {
      spawn(fields, source, arrays, layout, task);
    }
    runtime_.wait();
  }

 private:
  void spawn(const Fields& f, const Source& source, const WatchedBands& a, const BandLayout& layout,
             const BandTask& task) {
    const Index top = layout.first_row(std::max<Index>(task.band - 1, 0));
    const auto y = size(top), rows = size(std::min(layout.first_row(task.band + 1), f.rows) - top);
    const std::size_t below = top + static_cast<Index>(rows) < f.rows ? 1 : 0;
    runtime_.spawn(inout(a.velocity.rows(y, rows)), inout(a.stress_x.rows(y, rows)), inout(a.stress_y.rows(y, rows)),
                   in(a.velocity.rows(y, rows + below)), in(a.material.rows(y, rows)), in(a.damping.rows(y, rows)),
                   in(a.inverse_density.rows(y, rows)), name("band"), [this, &f, &source, layout, task] {
                     for_each_sweep(layout, tiling_, task, [&](const Sweep& w) { kernels_.sweep(f, source, w); });
                   });
  }

  const Kernels& kernels_;
  Tiling tiling_;
  Runtime runtime_;
};

}  // namespace

std::unique_ptr<Solver> start_weir_bands(const Settings& settings) { return std::make_unique<WeirBands>(settings); }

}  // namespace weir::apps::seismic
