// SPDX-License-Identifier: Apache-2.0

// METG(50 %): the smallest average task duration at which a runtime still reaches half of the machine's peak.
//
// Pure. After Slaughter et al., "Task Bench", SC 2020: the duration of a task is wall time x workers / tasks, overhead
// included, and the efficiency is that of the kernels against the same kernels run without a runtime.
#pragma once

#include <cstdint>
#include <span>

namespace weir::bench {

struct SweepPoint {
  double granularity_ns = 0;
  double efficiency = 0;
};

enum class Bound : std::uint8_t {
  exact,
  below,  // even the last point reached the threshold: the METG is at most `ns`
  above,  // no point reached it: the METG is more than `ns`, the granularity of the first
};

struct Metg {
  double ns = 0;
  Bound bound = Bound::exact;
};

// `sweep` has at least one point and goes from long kernels to short ones; granularities are positive. Between the last
// point that reaches `threshold` and the next one, the logarithm of the granularity is interpolated by the efficiency;
// where the next one is no finer (a runtime that gets slower as tasks get smaller), the point itself is the answer.
Metg metg(std::span<const SweepPoint> sweep, double threshold = 0.5);

}  // namespace weir::bench
