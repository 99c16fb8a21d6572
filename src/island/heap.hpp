// SPDX-License-Identifier: Apache-2.0

// Which part of the shared memory is in use, in whole lines.
//
// The master's own books, in its private memory: it never touches what it gives out. One thread.
#pragma once

#include <cstddef>

#include "island/memory.hpp"
#include "memory/range_allocator.hpp"

namespace weir::island {

class Heap {
 public:
  // `zeros`: nothing has been in the memory yet. `before`: bytes of the memory, whole lines, that lie before `start`.
  Heap(std::byte* start, std::size_t bytes, bool zeros = true, std::size_t before = 0)
      : start_(start), zeros_(zeros), before_(before), ranges_(bytes / kLine * kLine, kLine) {}

  struct Piece {
    std::byte* data = nullptr;  // null: there is no such piece
    std::size_t bytes = 0;      // whole lines, at least one
    bool used_before = false;   // so that it may hold anything; else zeros
  };
  // `alignment`, 1 or whole lines, counts from where the memory begins.
  Piece allocate(std::size_t bytes, std::size_t alignment = 1) {
    const std::uint64_t untouched_from = ranges_.untouched_from();
    auto range = ranges_.allocate(bytes + (bytes >= kLarge && alignment == 1 ? kStagger : 0), alignment, before_);
    if (!range) range = ranges_.allocate(bytes, alignment, before_);
    if (!range) return {};
    return {start_ + range->offset, range->bytes, !zeros_ || range->offset < untouched_from};
  }
  // False: nothing of allocate() begins there.
  [[nodiscard]] bool give_back(void* memory) {
    last_ = {};
    return ranges_.free(static_cast<std::uint64_t>(static_cast<std::byte*>(memory) - start_)).has_value();
  }
  // How many bytes from there on are of a piece that is given out; 0: none is there. Cost: two comparisons where it is
  // the piece of the last call, else O(log pieces).
  std::size_t bytes_from(const void* memory) noexcept {
    const auto offset =
        static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(memory) - reinterpret_cast<std::uintptr_t>(start_));
    if (offset - last_.offset >= last_.bytes) last_ = ranges_.find(offset).value_or(memory::Range{});
    return last_.bytes == 0 ? 0 : last_.bytes - (offset - last_.offset);
  }

  std::byte* start() const noexcept { return start_; }
  // Behind it nothing was ever given out.
  std::byte* end_of_used() const noexcept { return start_ + ranges_.untouched_from(); }
  std::size_t bytes() const noexcept { return ranges_.bytes(); }
  std::size_t used() const noexcept { return ranges_.used(); }
  std::size_t largest_free() const noexcept { return ranges_.largest_hole(); }

 private:
  // Arrays that a task walks in step lie apart modulo what caches and store buffers tell addresses by.
  static constexpr std::size_t kLarge = std::size_t{32} << 10, kStagger = 17 * kLine;

  std::byte* start_;
  bool zeros_;
  std::size_t before_;
  memory::RangeAllocator ranges_;
  memory::Range last_;  // that bytes_from() has found
};

}  // namespace weir::island
