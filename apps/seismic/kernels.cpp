// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/kernels.hpp"

#include "apps/common/instruction_sets.hpp"

namespace weir::apps::seismic {

extern const Kernels kBaselineKernels;
#ifdef WEIR_SEISMIC_X86
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

const Kernels* const* all_kernels() {
#ifdef WEIR_SEISMIC_X86
  static const auto list = runnable(&kAvx512Kernels, &kAvx2Kernels, kBaselineKernels);
#else
  static const auto list = runnable<Kernels>(nullptr, nullptr, kBaselineKernels);
#endif
  return list.data();
}

}  // namespace weir::apps::seismic
