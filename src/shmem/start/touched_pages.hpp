// SPDX-License-Identifier: Apache-2.0

// Copies of memory that leave out pages which were never touched: a program's large arrays stay without memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weir::shmem {

// Copies whole pages to zeros. Below the address `file_end` all, from there on those that hold something. Allocates
// nothing, and calls nothing of the program's.
void copy_touched(std::span<const std::byte> from, std::byte* to, std::uintptr_t file_end) noexcept;

// The same of a part of a file of memory. False: the system does not let it be read.
bool copy_touched(int descriptor, std::uint64_t offset, std::span<std::byte> to) noexcept;

}  // namespace weir::shmem
