// SPDX-License-Identifier: Apache-2.0

#include "apps/stencil3d/kernels.hpp"

#include <algorithm>

#include "apps/common/instruction_sets.hpp"

namespace weir::apps::stencil3d {

extern const Kernels kBaselineKernels;
#ifdef WEIR_STENCIL3D_X86
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

const Kernels* const* all_kernels() {
#ifdef WEIR_STENCIL3D_X86
  static const auto list = runnable(&kAvx512Kernels, &kAvx2Kernels, kBaselineKernels);
#else
  static const auto list = runnable<Kernels>(nullptr, nullptr, kBaselineKernels);
#endif
  return list.data();
}

std::int64_t pairs_for(std::int64_t side, std::size_t level2) {
  // A pair holds three planes of its ring and two of the block; the last one reads one plane more on each side.
  const std::int64_t planes = static_cast<std::int64_t>(level2 * 3 / 4) / (side * side * std::int64_t{sizeof(double)});
  return std::max<std::int64_t>(1, (planes - 2) / 5);
}

std::size_t scratch_cells(std::int64_t side, std::int64_t pairs) {
  return static_cast<std::size_t>(3 * pairs * side * side);
}

}  // namespace weir::apps::stencil3d
