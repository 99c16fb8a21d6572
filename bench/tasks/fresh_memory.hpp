// SPDX-License-Identifier: Apache-2.0

// Memory at addresses that nothing in this process has used before: what a runtime pays for naming memory for the
// first time shows only there. One thread at a time.
#pragma once

#include <cstddef>

namespace weir::bench {

// `bytes` of zeros that start at a page. Throws std::bad_alloc.
std::byte* take_fresh_memory(std::size_t bytes);

// Gives the pages back to the kernel, but not the addresses: they are never handed out again.
void drop_fresh_memory(std::byte* memory, std::size_t bytes) noexcept;

}  // namespace weir::bench
