// SPDX-License-Identifier: Apache-2.0

// Gathering: PEs that meet in collectives, as traces tell them apart. One thread at a time.
#pragma once

#include <cstdint>

namespace weir::shmem {

struct Gathering {
  std::uint32_t number = 0;  // the same on all members, another one for other gatherings
  std::uint32_t turn = 0;    // of the next meeting
};

}  // namespace weir::shmem
