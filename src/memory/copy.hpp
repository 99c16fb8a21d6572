// SPDX-License-Identifier: Apache-2.0

// Copies between a strided region of memory and a packed block, at the speed of the memory.
//
// Large copies store around the caches, so that a move does not evict what tasks work on. Any thread; no two copies
// write the same bytes at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::memory {

// counts[0] * counts[1] runs of run_bytes; run (i, j) starts at data + i * strides[0] + j * strides[1]. Contiguous
// memory is one run.
struct Region {
  std::byte* data = nullptr;
  std::size_t run_bytes = 0;
  std::size_t counts[2] = {1, 1};
  std::ptrdiff_t strides[2] = {0, 0};  // bytes

  static Region contiguous(void* data, std::size_t bytes) noexcept {
    return {static_cast<std::byte*>(data), bytes, {1, 1}, {0, 0}};
  }
  std::size_t bytes() const noexcept { return run_bytes * counts[0] * counts[1]; }
};

// From this size on, copy_bytes() stores around the caches. docs/tuning/memory.md#copies-around-the-caches
inline constexpr std::size_t kStreamingBytes = std::size_t{1} << 20;

// The regions do not overlap; any alignment.
void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;

// Between a region and region.bytes() bytes that lie together, in the order of the runs, j fastest.
void pack(std::byte* packed, const Region& region) noexcept;
void unpack(const Region& region, const std::byte* packed) noexcept;

// Bytes per second that `threads` threads copy together; at most 50 ms. For "emulated" tiers: a fraction of it.
double copy_bandwidth(unsigned threads) noexcept;

}  // namespace weir::memory
