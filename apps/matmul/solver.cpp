// SPDX-License-Identifier: Apache-2.0

#include "apps/matmul/solver.hpp"

#include "weir/error.hpp"

namespace weir::apps::matmul {
namespace {

constexpr Index kSideBySide = 4;  // tasks a worker that do not depend on each other

}  // namespace

Superblock superblock_of(const Settings& settings) {
  if (settings.order == Order::naive) return {1, 1};
  const auto fast = static_cast<Index>(settings.budget / settings.shape.tile_bytes());
  const Index room = settings.budget == 0 ? 0 : std::max<Index>(1, fast);
  return choose_superblock(settings.shape.tiles(), room, kSideBySide * settings.threads);
}

std::vector<Step> order_of(const Settings& settings) {
  if (settings.order == Order::naive) return naive_order(settings.shape.tiles());
  return order_of(settings.shape.tiles(), superblock_of(settings));
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

Blas load_blas() {
  auto blas = Blas::load();
  if (!blas) throw Error(blas.status().message);
  return std::move(*blas);
}

}  // namespace weir::apps::matmul
