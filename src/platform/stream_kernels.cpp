// SPDX-License-Identifier: Apache-2.0

#include "platform/stream_kernels.hpp"

namespace weir::platform {

#if defined(__x86_64__)
extern const StreamKernels kSse2Kernels, kAvx2Kernels, kAvx512Kernels;

const StreamKernels& stream_kernels() noexcept {
  if (__builtin_cpu_supports("avx512f")) return kAvx512Kernels;
  return __builtin_cpu_supports("avx2") ? kAvx2Kernels : kSse2Kernels;
}
#elif defined(__aarch64__)
extern const StreamKernels kNeonKernels;

const StreamKernels& stream_kernels() noexcept { return kNeonKernels; }  // every arm64 processor has them
#else
extern const StreamKernels kPlainKernels;

const StreamKernels& stream_kernels() noexcept { return kPlainKernels; }
#endif

}  // namespace weir::platform
