// SPDX-License-Identifier: Apache-2.0

// The median of measured values: of an even number the mean of the two in the middle. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace weir::apps {

// `values` is not empty.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace weir::apps
