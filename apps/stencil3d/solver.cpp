// SPDX-License-Identifier: Apache-2.0

#include "apps/stencil3d/solver.hpp"

#include <chrono>
#include <cstdlib>
#include <new>

namespace weir::apps::stencil3d {

std::vector<Step> order_of(const Settings& settings) {
  if (settings.order == Order::naive) return naive_order(settings.shape);
  return order_of(settings.shape, reuse_depth(settings.shape, settings.budget));
}

Scratch::Scratch(const Settings& settings) {
  constexpr std::size_t kLine = 64;
  const std::size_t bytes = scratch_cells(settings.shape.side, settings.pairs) * sizeof(double);
  data_.reset(static_cast<double*>(std::aligned_alloc(kLine, bytes)));
  if (data_ == nullptr) throw std::bad_alloc();
}

void Scratch::Free::operator()(double* p) const noexcept { std::free(p); }

void work_on(const Settings& settings, double* interior, const double* const halo[kSides], double* const faces[kSides],
             double* scratch) {
  const Shape& shape = settings.shape;
  settings.kernels->relax({interior,
                           {halo[0], halo[1], halo[2], halo[3], halo[4], halo[5]},
                           scratch,
                           shape.side,
                           shape.sweeps,
                           settings.pairs});
  const std::span<const double> cells(interior, static_cast<std::size_t>(shape.interior_cells()));
  for (int side = 0; side < kSides; ++side) {
    publish(shape, cells, Side(side), {faces[side], static_cast<std::size_t>(shape.face_cells())});
  }
}

Outcome run(const TierVariant& variant, Settings settings) {
  if (variant.kind != TierVariantKind::mmap) settings.folder.clear();
  Outcome outcome = variant.kind == TierVariantKind::serial   ? run_serial(settings)
                    : variant.kind == TierVariantKind::weir   ? run_weir(settings)
                    : variant.kind == TierVariantKind::island ? run_island(settings)
                                                              : run_openmp(settings);
  finish(outcome);
  return outcome;
}

}  // namespace weir::apps::stencil3d
