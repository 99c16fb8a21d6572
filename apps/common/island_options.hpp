// SPDX-License-Identifier: Apache-2.0

// What the variants on islands give their master.
#pragma once

#include <algorithm>
#include <cstdint>

#include "apps/common/tier_variants.hpp"

namespace weir::apps {

// The settings' own, with a heap in which `bytes` of data find room, each piece in whole lines of cache.
inline Options island_options(const TierSettings& settings, std::uint64_t bytes) {
  Options options = settings.runtime;
  const std::uint64_t mib = ((bytes + bytes / 16) >> 20) + 1;
  options.island_heap = std::max(options.island_heap, static_cast<int>(std::min<std::uint64_t>(mib, 1u << 20)));
  return options;
}

}  // namespace weir::apps
