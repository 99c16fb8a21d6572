// SPDX-License-Identifier: Apache-2.0

// What lies at an address of this process. Any thread.
#pragma once

#include <cstdint>

namespace weir::shmem {

// Whether the page at the address is that of the file at this offset: as /proc/self/maps says.
bool is_mapped_at(std::uintptr_t address, int descriptor, std::uint64_t offset);

}  // namespace weir::shmem
