// SPDX-License-Identifier: Apache-2.0

// The memory of a kernel's arrays: large pages where the kernel has them, on a node of choice or where it is first
// touched. Needs nothing of Weir's, so that every runner has the same. One thread.
#pragma once

#include <cstddef>
#include <span>

namespace weir::prk {

class PlacedMemory {
 public:
  // Throws std::runtime_error when there is no room, or the kernel forbids placement. node -1: where it is touched.
  PlacedMemory(std::size_t bytes, int node);
  ~PlacedMemory();
  PlacedMemory(const PlacedMemory&) = delete;
  PlacedMemory& operator=(const PlacedMemory&) = delete;

  std::span<std::byte> bytes() const { return {data_, size_}; }
  // Throws std::runtime_error when less than 99 % of the touched pages are on the node asked for.
  void check() const;

 private:
  std::byte* data_;
  std::size_t size_;
  int node_;
};

}  // namespace weir::prk
