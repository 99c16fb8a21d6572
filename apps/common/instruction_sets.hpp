// SPDX-License-Identifier: Apache-2.0

// Kernels that were compiled for several instruction sets: which of them this processor can run.
#pragma once

#include <array>

namespace weir::apps {

// Best first; ends with a null pointer. Null for what was not compiled. Pure but for asking the processor.
template <class Kernels>
std::array<const Kernels*, 4> runnable([[maybe_unused]] const Kernels* avx512, [[maybe_unused]] const Kernels* avx2,
                                       const Kernels& baseline) {
  std::array<const Kernels*, 4> found{};
  auto next = found.begin();
#if defined(__x86_64__) || defined(__i386__)
  if (avx512 != nullptr && __builtin_cpu_supports("avx512f")) *next++ = avx512;
  if (avx2 != nullptr && __builtin_cpu_supports("avx2")) *next++ = avx2;
#endif
  *next = &baseline;
  return found;
}

}  // namespace weir::apps
