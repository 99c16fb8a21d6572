// SPDX-License-Identifier: Apache-2.0

// Static data made symmetric: the pages of the program's variables, and of its own shared libraries', become pages of a
// region that other PEs map, at the addresses where they are, with what they hold. docs/decisions/0024 says why so.
#pragma once

#include "transport/transport.hpp"

namespace weir::shmem {

// Collective, at the start, after the heap. Ends the program when PEs have different static data, as those of different
// programs, or there is no memory.
void share_static_data();

}  // namespace weir::shmem
