// SPDX-License-Identifier: Apache-2.0

// HeapBooks: which bytes of a symmetric heap are given out. Equal calls give equal offsets, so that the books of all
// PEs are equal without a word between them. Knows no address. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

#include "memory/space.hpp"
#include "shmem/heap/private_blocks.hpp"

namespace weir::shmem {

class HeapBooks {
 public:
  static constexpr std::uint64_t kNowhere = memory::Space::kNowhere;

  // Rounded up to pages of 4096. Alignment is counted from `origin`, whole pages, before the first offset.
  explicit HeapBooks(std::size_t capacity, std::uint64_t origin = 0);

  // The offset, a multiple of 64 and, from the origin, of `alignment`, a power of two; kNowhere: there is no room.
  std::uint64_t allocate(std::size_t bytes, std::size_t alignment);
  // What allocate() was asked for there; nothing: it gave no such offset.
  std::optional<std::size_t> size_of(std::uint64_t offset) const;
  // Of what allocate() gave. Returns how many bytes it took.
  std::size_t release(std::uint64_t offset);
  // Whether an allocation can become so large, or small, where it is; then it has. It takes what is free behind it.
  bool resize(std::uint64_t offset, std::size_t bytes);
  // For where there is no other room: releases it and gives `bytes`, which may have bytes in common with what was
  // released, and those must be taken along. kNowhere: there is no room so either, and nothing has changed.
  std::uint64_t replace(std::uint64_t offset, std::size_t bytes);
  // Whether it is a byte of what allocate() gave. O(allocations).
  bool is_given(std::uint64_t offset) const;

  // From there on, no byte was ever given out.
  std::uint64_t untouched_from() const noexcept { return untouched_from_; }
  std::size_t capacity() const noexcept { return space_.capacity(); }
  std::size_t used() const noexcept { return space_.used(); }
  std::size_t peak() const noexcept { return space_.peak(); }
  std::size_t largest_free() const noexcept { return space_.largest_free(); }

 private:
  struct Piece {
    std::size_t bytes;    // as asked for
    std::size_t charged;  // as it is given back to the space
  };

  using Pieces = std::unordered_map<std::uint64_t, Piece, std::hash<std::uint64_t>, std::equal_to<>,
                                    MallocAllocator<std::pair<const std::uint64_t, Piece>>>;

  memory::Space space_;
  const std::uint64_t origin_;
  Pieces pieces_;
  std::uint64_t untouched_from_ = 0;
};

}  // namespace weir::shmem
