// SPDX-License-Identifier: Apache-2.0

// What a wait is for, in words for people. Any thread; slow: symbols are looked up.
#pragma once

#include <string>
#include <vector>

#include "shmem/status/pages.hpp"
#include "shmem/world/awaited.hpp"

namespace weir::shmem {

// "PE 3", "PEs 0-2, 5"; rising numbers.
std::string pes_text(const std::vector<int>& pes);
// "counter", "heap + 64"; "" when it is not symmetric.
std::string object_text(const void* address);
// "for PE 2", "until counter, which is 0, is >= 7". Of this PE's own wait, while it lasts.
std::string wait_text(const Awaited& what, Pages& pages);

}  // namespace weir::shmem
