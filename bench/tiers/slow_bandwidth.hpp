// SPDX-License-Identifier: Apache-2.0

// How fast the slow tier is, measured beside the runs that use it.
#pragma once

#include "apps/common/tiered_run.hpp"
#include "base/result.hpp"
#include "sim/bound.hpp"

namespace weir::bench {

using sim::SlowBandwidth;

// A file: reads, writes, and both at once, past the page cache, in large pieces and several at a time; about a second
// on a fast disk, and never more than `bytes` of space. An emulated tier: the fraction of the copy bandwidth, all three
// the same. io_error or no_space names the folder.
base::Result<SlowBandwidth> measure_slow_bandwidth(const apps::SlowTier& slow, int threads,
                                                   std::uint64_t bytes = std::uint64_t{512} << 20);

}  // namespace weir::bench
