// SPDX-License-Identifier: Apache-2.0

// Pages of 2 MiB that the administrator has set aside (hugetlb): each allocation is a mapping of its own. Any thread.
#pragma once

#include <cstddef>

namespace weir::alloc {

// How many are free; 0 when the kernel does not tell.
std::size_t huge_pages_free();

// Zeroed. Null when so many are not free, or `alignment` is more than a page of 2 MiB.
void* map_huge(std::size_t size, std::size_t alignment) noexcept;
// 0: none of these.
std::size_t size_of_huge(const void* data) noexcept;
bool unmap_huge(void* data) noexcept;

}  // namespace weir::alloc
