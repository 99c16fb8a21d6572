// SPDX-License-Identifier: Apache-2.0

// Pages of 2 MiB that the administrator has set aside (hugetlb): each allocation is a mapping of its own. Any thread.
#pragma once

#include <cstddef>
#include <string>

namespace weir::alloc {

// Whether there are some, in use or not, or the kernel may make some when they are asked for
// (nr_overcommit_hugepages). `folder`: where it tells.
bool has_huge_pages(const std::string& folder = "/sys/kernel/mm/hugepages/hugepages-2048kB");

// Zeroed, and in memory. Null when so many are not free or not for this process (cpuset, hugetlb cgroup), or
// `alignment` is more than a page of 2 MiB.
void* map_huge(std::size_t size, std::size_t alignment) noexcept;
// 0: none of these.
std::size_t size_of_huge(const void* data) noexcept;
bool unmap_huge(void* data) noexcept;

}  // namespace weir::alloc
