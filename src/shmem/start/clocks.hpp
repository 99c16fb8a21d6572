// SPDX-License-Identifier: Apache-2.0

// The clocks of several hosts, for traces: PEs that do not share memory with PE 0 ask it for the time.
#pragma once

#include <cstdint>

namespace weir::shmem {

// What has to be added to this PE's monotonic clock to get that of PE 0, as well as the quickest of some questions
// tells; 0 where memory is shared with PE 0, and when this PE is not traced. Collective over the world, traced or not.
std::int64_t measure_clock_offset();

}  // namespace weir::shmem
