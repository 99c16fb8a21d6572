// SPDX-License-Identifier: Apache-2.0

// Large allocations: each a mapping of its own, with the memory policy that was asked for. Those that were freed last
// stay mapped for the next ones (kept.hpp). Any thread.
#pragma once

#include <cstddef>

namespace weir::placer {

enum class Contents : bool { anything, zeros };
// Aligned to a page and to `alignment`, a power of two. Null and ENOMEM.
void* map_large(std::size_t size, std::size_t alignment, Contents contents) noexcept;
// The bytes that may be used there; 0 when it is no large allocation. For what is not aligned to a page, no lock is
// taken.
std::size_t size_of_large(const void* data) noexcept;
// False when it is none.
bool unmap_large(void* data) noexcept;
// What stays mapped though it was freed goes.
void give_back_kept() noexcept;
// A large one that grows or shrinks and may move. Null and ENOMEM, also where there is room but the kernel does not
// move it; it stays as it is then.
void* resize_large(void* data, std::size_t size) noexcept;

}  // namespace weir::placer
