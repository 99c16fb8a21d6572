// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/solver.hpp"

namespace weir::apps::seismic {
namespace {

class Serial final : public Solver {
 public:
  explicit Serial(const Kernels& kernels) : kernels_(kernels) {}

  void run(const Fields& fields, const Source& source, Index first, Index count) override {
    for (Index k = first; k < first + count; ++k) {
      for (Index y = 0; y < fields.rows; ++y) kernels_.stress_row(fields, y);
      for (Index y = 0; y < fields.rows; ++y) kernels_.velocity_row(fields, y);
      add_pulse(fields, source, k);
    }
  }

 private:
  const Kernels& kernels_;
};

}  // namespace

std::unique_ptr<Solver> start_serial(const Settings& settings) { return std::make_unique<Serial>(*settings.kernels); }

}  // namespace weir::apps::seismic
