// SPDX-License-Identifier: Apache-2.0

// The paper's TBB form: parallel_for over rows for each phase, grain chosen by TBB. An affinity partitioner sends a
// row to the thread that had it before, as the static schedule of OpenMP does.
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include "apps/seismic/solver.hpp"

namespace weir::apps::seismic {
namespace {

class Tbb final : public Solver {
 public:
  explicit Tbb(const Settings& settings)
      : kernels_(*settings.kernels),
        limit_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(settings.threads)),
        arena_(settings.threads) {
    arena_.initialize();
  }

  void run(const Fields& fields, const Source& source, Index first, Index count) override {
    arena_.execute([&] {
      for (Index k = first; k < first + count; ++k) {
        for_rows(fields, kernels_.stress_row);
        for_rows(fields, kernels_.velocity_row);
        add_pulse(fields, source, k);
      }
    });
  }

 private:
  void for_rows(const Fields& fields, void (*kernel)(const Fields&, Index)) {
    tbb::parallel_for(
        tbb::blocked_range<Index>(0, fields.rows),
        [&](const tbb::blocked_range<Index>& rows) {
          for (Index y = rows.begin(); y != rows.end(); ++y) kernel(fields, y);
        },
        same_rows_);
  }

  const Kernels& kernels_;
  tbb::global_control limit_;
  tbb::task_arena arena_;
  tbb::affinity_partitioner same_rows_;
};

}  // namespace

std::unique_ptr<Solver> start_tbb(const Settings& settings) { return std::make_unique<Tbb>(settings); }

}  // namespace weir::apps::seismic
