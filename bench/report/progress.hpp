// SPDX-License-Identifier: Apache-2.0

// How far a measurement is, for whoever shows it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace weir::bench {

struct Progress {
  std::size_t done = 0, total = 0;  // runs
  std::string next;                 // what is measured now
};

using OnProgress = std::function<void(const Progress&)>;

}  // namespace weir::bench
