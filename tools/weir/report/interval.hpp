// SPDX-License-Identifier: Apache-2.0

// What is made of several stretches of time.
#pragma once

#include <algorithm>
#include <vector>

#include "trace.hpp"

namespace weir::tool::report {

// The same moments, in order and without overlap.
inline std::vector<Interval> joined(std::vector<Interval> all) {
  std::sort(all.begin(), all.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].start <= all[last].end)
      all[last].end = std::max(all[last].end, all[i].end);
    else
      all[++last] = all[i];
  }
  if (!all.empty()) all.resize(last + 1);
  return all;
}

}  // namespace weir::tool::report
