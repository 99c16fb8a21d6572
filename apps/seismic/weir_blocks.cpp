// SPDX-License-Identifier: Apache-2.0

// Tasks on bands of rows that are Weir's blocks, so that the grid may be larger than fast memory: a task takes a band
// through many iterations while it is there, and the layers of iterations go down the grid close behind each other
// (band_plan.hpp).
#include <optional>

#include "apps/seismic/band_grid.hpp"
#include "apps/seismic/band_plan.hpp"
#include "apps/seismic/solver.hpp"
#include "apps/seismic/weir_blocks.hpp"

namespace weir::apps::seismic {

std::uint64_t fast_bytes(const Runtime& runtime) {
  const TierStatistics statistics = runtime.tier_statistics();
  std::uint64_t bytes = 0;
  for (const TierReport& report : statistics.tiers) {
    if (report.tier == statistics.tiers.front().tier) bytes += report.budget;
  }
  return bytes;
}

void run_bands(Runtime& runtime, BandGrid& grid, const Settings& settings, const Source& source, Index first,
               Index count) {
  const auto at_hand = static_cast<Index>(fast_bytes(runtime) / grid.layout().band_bytes());
  spawn_bands(grid, plan_bands(grid.layout(), first, count, runtime.worker_count(), at_hand), settings, source);
  runtime.wait();
}

namespace {

class WeirBlocks final : public Solver {
 public:
  explicit WeirBlocks(const Settings& settings) : settings_(settings), runtime_(settings.runtime) {}

  void take(const Fields& f) override {
    grid_.emplace(runtime_, band_layout(f.rows, f.cols, settings_.tiling.rows));
    grid_->fill([&f](Index y, const RowCells& to) { copy_row_out(f, y, to); });
  }
  void run(const Fields&, const Source& source, Index first, Index count) override {
    run_bands(runtime_, *grid_, settings_, source, first, count);
  }
  void give_back(const Fields& f) override {
    grid_->read([&f](Index y, const double* velocity, const double* stress_x, const double* stress_y) {
      copy_row_back(f, y, velocity, stress_x, stress_y);
    });
    grid_.reset();
  }

 private:
  Settings settings_;
  Runtime runtime_;
  std::optional<BandGrid> grid_;
};

}  // namespace

std::unique_ptr<Solver> start_weir_blocks(const Settings& settings) { return std::make_unique<WeirBlocks>(settings); }

}  // namespace weir::apps::seismic
