#include "apps/seismic/kernels.hpp"

#include <array>

namespace weir::apps::seismic {

extern const Kernels kBaselineKernels;
#ifdef WEIR_SEISMIC_X86
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

const Kernels* const* all_kernels() {
  static const std::array<const Kernels*, 4> list = [] {
    std::array<const Kernels*, 4> found{};
    auto next = found.begin();
#ifdef WEIR_SEISMIC_X86
    if (__builtin_cpu_supports("avx512f")) *next++ = &kAvx512Kernels;
    if (__builtin_cpu_supports("avx2")) *next++ = &kAvx2Kernels;
#endif
    *next++ = &kBaselineKernels;
    return found;
  }();
  return list.data();
}

}  // namespace weir::apps::seismic
