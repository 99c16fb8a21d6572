// SPDX-License-Identifier: Apache-2.0

// The same two phases as tasks of row blocks: two tasks a block and iteration, ordered by their footprints alone. There
// is no barrier, neither between phases nor between iterations, and no reuse of caches beyond what that gives.
#include <algorithm>

#include "apps/seismic/solver.hpp"
#include "weir/weir.hpp"

namespace weir::apps::seismic {
namespace {

// The six arrays, watched in blocks of whole rows.
struct WatchedRows {
  WatchedRows(const Fields& f, Index block)
      : velocity(f.velocity, size(f.rows), size(f.cols), size(f.stride), size(block), size(f.cols)),
        stress_x(f.stress_x, size(f.rows), size(f.cols), size(f.stride), size(block), size(f.cols)),
        stress_y(f.stress_y, size(f.rows), size(f.cols), size(f.stride), size(block), size(f.cols)),
        material(f.material, size(f.rows), size(f.cols), size(f.stride), size(block), size(f.cols)),
        damping(f.damping, size(f.rows), size(f.cols), size(f.stride), size(block), size(f.cols)),
        inverse_density(f.inverse_density, size(f.rows), size(f.cols), size(f.stride), size(block), size(f.cols)) {}

  Watched<double> velocity, stress_x, stress_y;
  Watched<const double> material, damping, inverse_density;
};

class WeirPlain final : public Solver {
 public:
  explicit WeirPlain(const Settings& settings)
      : kernels_(*settings.kernels), block_(settings.block_rows), runtime_(settings.runtime) {}

  void run(const Fields& fields, const Source& source, Index first, Index count) override {
    const WatchedRows arrays(fields, block_);
    for (Index k = first; k < first + count; ++k) {
      for (Index y = 0; y < fields.rows; y += block_) spawn_stress(fields, arrays, y);
      for (Index y = 0; y < fields.rows; y += block_) spawn_velocity(fields, arrays, y, source, k);
    }
    runtime_.wait();
  }

 private:
  void spawn_stress(const Fields& f, const WatchedRows& arrays, Index y0) {
    const Index y1 = std::min(y0 + block_, f.rows);
    const auto y = size(y0), rows = size(y1 - y0);
    const std::size_t below = y1 < f.rows ? 1 : 0;
    runtime_.spawn(in(arrays.velocity.rows(y, rows + below)), in(arrays.material.rows(y, rows)),
                   inout(arrays.stress_x.rows(y, rows)), inout(arrays.stress_y.rows(y, rows)), name("stress"),
                   [this, &f, y0, y1] {
                     for (Index row = y0; row < y1; ++row) kernels_.stress_row(f, row);
                   });
  }

  void spawn_velocity(const Fields& f, const WatchedRows& arrays, Index y0, const Source& source, Index k) {
    const Index y1 = std::min(y0 + block_, f.rows);
    const auto y = size(y0), rows = size(y1 - y0);
    const std::size_t above = y0 > 0 ? 1 : 0;
    runtime_.spawn(inout(arrays.velocity.rows(y, rows)), in(arrays.stress_x.rows(y, rows)),
                   in(arrays.stress_y.rows(y - above, rows + above)), in(arrays.damping.rows(y, rows)),
                   in(arrays.inverse_density.rows(y, rows)), name("velocity"), [this, &f, &source, y0, y1, k] {
                     for (Index row = y0; row < y1; ++row) kernels_.velocity_row(f, row);
                     if (y0 <= source.row && source.row < y1) add_pulse(f, source, k);
                   });
  }

  const Kernels& kernels_;
  Index block_;
  Runtime runtime_;
};

}  // namespace

std::unique_ptr<Solver> start_weir_plain(const Settings& settings) { return std::make_unique<WeirPlain>(settings); }

}  // namespace weir::apps::seismic
