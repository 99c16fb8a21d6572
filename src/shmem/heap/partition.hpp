// SPDX-License-Identifier: Apache-2.0

// Partition: one symmetric heap, of pages of any memory or of one kind. Its allocations are collective (heap.hpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "shmem/heap/books.hpp"
#include "shmem/heap/plan.hpp"

namespace weir::shmem {

class Partition {
 public:
  // Makes its region and its segment, with `reserved` bytes of symmetric memory before the heap. Collective.
  Partition(const PartitionPlan& plan, std::size_t reserved);

  int number() const noexcept { return plan_.number; }
  bool contains(const void* data) const noexcept;
  std::size_t capacity() const noexcept { return books_.capacity(); }  // bytes of the heap
  // An offset in it has such an alignment on all PEs, or on none.
  std::size_t largest_alignment() const noexcept { return largest_alignment_; }
  std::byte* reserved() const noexcept { return begin_ - reserved_; }

  // Null: there is no room in the heap.
  std::byte* allocate(std::size_t bytes, std::size_t alignment);
  // What is known of an allocation; nothing: `data` is none.
  std::optional<std::size_t> size_of(const void* data) const;
  void release(void* data);
  bool resize(void* data, std::size_t bytes);
  // As the books': null when there is no room. What `data` held is still there, and may have bytes in common with it.
  std::byte* replace(void* data, std::size_t bytes);
  // Whether it is a byte of an allocation. O(allocations).
  bool is_given(const void* data) const { return books_.is_given(offset_of(data)); }
  // Zeros, though what was never given out is that already, and is not touched. `given_before`: untouched() of before
  // the allocation.
  void clear(std::byte* data, std::size_t bytes, const std::byte* given_before) const noexcept;
  const std::byte* untouched() const noexcept { return begin_ + books_.untouched_from(); }

  std::string describe() const;

 private:
  std::uint64_t offset_of(const void* data) const noexcept;

  PartitionPlan plan_;
  std::size_t reserved_;
  std::vector<int> os_nodes_;  // none: any
  HeapBooks books_;
  std::byte* begin_ = nullptr;  // of the heap
  std::size_t largest_alignment_ = 1;
};

}  // namespace weir::shmem
