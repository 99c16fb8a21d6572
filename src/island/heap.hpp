// SPDX-License-Identifier: Apache-2.0

// What of the shared memory is in use: whole lines, first fit, neighbours joined when they are given back.
//
// The master's own book-keeping, in its private memory: it never touches what it gives out. One thread.
#pragma once

#include <cstddef>
#include <map>
#include <unordered_map>

#include "island/memory.hpp"

namespace weir::island {

class Heap {
 public:
  Heap(std::byte* start, std::size_t bytes);

  struct Piece {
    std::byte* data = nullptr;  // null: there is no such piece
    std::size_t bytes = 0;      // whole lines, at least one
    bool used_before = false;   // so that it may hold anything; else zeros
  };
  Piece allocate(std::size_t bytes);
  // False: nothing of allocate() begins there.
  [[nodiscard]] bool give_back(void* memory);

  std::byte* start() const noexcept { return start_; }
  std::size_t bytes() const noexcept { return bytes_; }
  std::size_t used() const noexcept { return used_; }
  std::size_t largest_free() const noexcept;

 private:
  std::byte* start_;
  std::size_t bytes_, used_ = 0;
  std::size_t fresh_ = 0;                              // from that offset on nothing was ever given out
  std::map<std::size_t, std::size_t> free_;            // offset, bytes
  std::unordered_map<std::size_t, std::size_t> live_;  // offset, bytes
};

}  // namespace weir::island
