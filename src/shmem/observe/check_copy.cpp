// SPDX-License-Identifier: Apache-2.0

#include "shmem/observe/check_copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "shmem/world/address.hpp"

namespace weir::shmem {

std::size_t bytes_in_both(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) noexcept {
  const auto a_start = reinterpret_cast<std::uintptr_t>(a), b_start = reinterpret_cast<std::uintptr_t>(b);
  const std::uintptr_t start = std::max(a_start, b_start);
  const std::uintptr_t end = std::min(a_start + a_bytes, b_start + b_bytes);
  return start < end ? end - start : 0;
}

void check_copy_slow(const void* symmetric, const void* local, std::size_t bytes, int pe) {
  const std::byte* const there = try_mapped(symmetric, pe);
  if (there == nullptr || !is_symmetric(symmetric, bytes) || there == local) return;
  if (const std::size_t common = bytes_in_both(there, bytes, local, bytes); common != 0) {
    fail(
        fmt::format("dest and source overlap: {} of the {} bytes at {} of PE {} and at {} are the same memory. Bytes "
                    "are copied in any order: copy through another array",
                    common, bytes, symmetric, pe, local));
  }
}

}  // namespace weir::shmem
