// SPDX-License-Identifier: Apache-2.0

// A runtime in which one thread runs everything, so that the order of tasks is the scheduler's choice.
#pragma once

#include "weir/options.hpp"

namespace weir::runtime {

inline Options one_worker() {
  Options options;
  options.workers = 1;
  return options;
}

}  // namespace weir::runtime
