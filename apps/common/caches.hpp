// SPDX-License-Identifier: Apache-2.0

// Sizes of the caches that one core has to itself, for choosing block sizes.
#pragma once

#include <cstddef>

namespace weir::apps {

struct Caches {
  std::size_t level1 = std::size_t{32} << 10;  // bytes; what is not known keeps these modest values
  std::size_t level2 = std::size_t{512} << 10;
};

// Of this machine's smallest core, a shared level 2 divided by the cores that share it. Milliseconds; any thread.
Caches find_caches();

}  // namespace weir::apps
