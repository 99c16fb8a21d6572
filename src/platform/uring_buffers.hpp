// SPDX-License-Identifier: Apache-2.0

// Memory registered with an io_uring: pinned once, instead of for every read and write.
//
// For async_io_uring.cpp; only the thread that owns the ring, and open() before it starts.
#pragma once

#include <liburing.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weir::platform {

class UringBuffers {
 public:
  explicit UringBuffers(io_uring& ring) noexcept : ring_(ring) {}

  // After the ring is. Where the kernel has no such tables, nothing is registered and report() says so.
  void open();
  void add(std::span<std::byte> memory);
  // Every buffer that overlaps `memory`.
  void remove(std::span<std::byte> memory);
  // The buffer in which [data, data + bytes) lies, -1 when there is none. O(number of buffers).
  int find(const std::byte* data, std::size_t bytes) const noexcept;
  std::string report() const;

 private:
  int set(unsigned index, std::span<std::byte> memory) noexcept;
  void add_part(std::span<std::byte> memory);

  io_uring& ring_;
  std::vector<std::span<std::byte>> buffers_;  // by the kernel's index; empty: free
  std::string refusal_;                        // why the last refused part was
  std::uint64_t refused_bytes_ = 0;
};

}  // namespace weir::platform
