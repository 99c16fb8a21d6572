// SPDX-License-Identifier: Apache-2.0

// The variants of the stencil: one function each, called in a process of its own.
#pragma once

#include <memory>
#include <vector>

#include "apps/common/outcome.hpp"
#include "apps/common/tier_variants.hpp"
#include "apps/stencil3d/kernels.hpp"
#include "apps/stencil3d/order.hpp"
#include "apps/stencil3d/problem.hpp"

namespace weir::apps::stencil3d {

struct Settings : TierSettings {
  Shape shape;
  const Kernels* kernels = nullptr;
  Index pairs = 1;  // of sweeps a pass over a block's planes
};

// The order that `settings` ask for.
std::vector<Step> order_of(const Settings& settings);

// What a worker needs to work on a block: memory of its own.
class Scratch {
 public:
  explicit Scratch(const Settings& settings);
  double* data() const noexcept { return data_.get(); }

 private:
  struct Free {
    void operator()(double* p) const noexcept;
  };
  std::unique_ptr<double, Free> data_;
};

// One block's outer iteration: the sweeps, and its faces published.
void work_on(const Settings& settings, double* interior, const double* const halo[kSides], double* const faces[kSides],
             double* scratch);

// Each returns with one checksum a block, having started from the same state. Throw weir::Error when memory or threads
// cannot be had.
Outcome run_serial(const Settings& settings);
Outcome run_openmp(const Settings& settings);  // with a folder: over a mapped file
Outcome run_weir(const Settings& settings);    // settings.runtime says how
Outcome run_island(const Settings& settings);  // of no tiers; forks, so before the process has other threads
// Serial, OpenMP, mmap, Weir and islands by the variant's name; StarPU is a program of its own (bench/tiers).
Outcome run(const TierVariant& variant, Settings settings);

}  // namespace weir::apps::stencil3d
