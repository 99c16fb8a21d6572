// SPDX-License-Identifier: Apache-2.0

#include "platform/stream_kernels.hpp"

#include <algorithm>

namespace weir::platform {

#if defined(__x86_64__)
extern const StreamKernels kSse2Kernels, kAvx2Kernels, kAvx512Kernels;

std::array<StreamChoice, kMostStreamChoices> stream_choices() noexcept {
  return {{{&kAvx512Kernels, __builtin_cpu_supports("avx512f") != 0},
           {&kAvx2Kernels, __builtin_cpu_supports("avx2") != 0},
           {&kSse2Kernels, true}}};
}
#elif defined(__aarch64__)
extern const StreamKernels kNeonKernels;

// Every arm64 processor has them.
std::array<StreamChoice, kMostStreamChoices> stream_choices() noexcept { return {{{&kNeonKernels, true}}}; }
#else
extern const StreamKernels kPlainKernels;

std::array<StreamChoice, kMostStreamChoices> stream_choices() noexcept { return {{{&kPlainKernels, true}}}; }
#endif

const StreamKernels& stream_kernels() noexcept {
  static const StreamKernels& best = [&]() -> const StreamKernels& {
    const auto choices = stream_choices();
    return *std::find_if(choices.begin(), choices.end(), [](const StreamChoice& choice) {
              return choice.runs;
            })->kernels;
  }();
  return best;
}

}  // namespace weir::platform
