// SPDX-License-Identifier: Apache-2.0

// Memory knows what it is from: a heap of this process (tier_heap.hpp), pages set aside (huge_pages.hpp), or malloc().
// So memkind's functions and those of hbwmalloc.h take each other's. Any thread.
#pragma once

#include <cstddef>

namespace weir::alloc {

// Null, too.
void free_any(void* data) noexcept;
// Bytes that may be used there; 0 for null.
std::size_t size_of_any(void* data) noexcept;

}  // namespace weir::alloc
