// SPDX-License-Identifier: Apache-2.0

// Objects below a page: runs of four pages, each cut into objects of one size, a multiple of 64 bytes.
//
// The pages come from the caller (space.hpp) and go back to it. Books are kept in tables outside of the pages: a number
// for each page, which names the descriptor of its slab. So the pages may be memory that the processor cannot address.
// Not thread-safe; nothing is allocated after construction, and the tables take memory only where slabs are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "memory/lazy_table.hpp"
#include "memory/page_heap.hpp"

namespace weir::memory {

class Slabs {
 public:
  static constexpr std::size_t kUnit = 64;
  static constexpr std::size_t kPage = 4096;
  static constexpr std::uint32_t kSlabPages = 4;
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

  // How many objects of `units` units a slab has.
  static constexpr std::size_t capacity(std::size_t units) noexcept { return kSlabPages * kPage / (units * kUnit); }

  // For offsets below pages * 4096. Throws std::bad_alloc.
  explicit Slabs(std::uint32_t pages);

  // The offset of `units` units of 64 bytes, 1 to 63; kNowhere when no slab has room: give it one by add().
  std::uint64_t allocate(std::size_t units) noexcept;

  // Takes kSlabPages pages for objects of `units` units.
  void add(std::uint32_t first_page, std::size_t units) noexcept;

  // What allocate(units) gave. An empty slab is kept until trim().
  void free(std::uint64_t offset, std::size_t units) noexcept;

  // The units of the object that allocate() gave at `offset`; 0 for offsets that are not in a slab.
  std::size_t units_of(std::uint64_t offset) const noexcept;

  // The first page of the slab of this object, when it is the only one there, so that trim() frees the pages once it is
  // free; ~0 when it is not.
  std::uint32_t page_of_single(std::uint64_t offset) const noexcept;

  // Frees the pages of empty slabs. O(slabs with room), if there is one to free.
  void trim(PageHeap& pages) noexcept;

 private:
  using Number = std::uint32_t;  // of a slab, from 1; 0: none

  struct Slab {
    std::uint64_t free[4];  // a bit for each object
    Number next;            // with room, of the same size; or the next unused descriptor
    Number previous;
    std::uint32_t first_page;
    std::uint16_t free_count;
    std::uint16_t capacity;
    std::uint16_t units;
    std::uint16_t unused[5];  // a descriptor is one cache line
  };
  static_assert(sizeof(Slab) == 64);

  Number new_slab() noexcept;
  void link(Number slab, std::size_t units) noexcept;
  void unlink(Number slab, std::size_t units) noexcept;

  LazyTable<Number> slab_of_page_;
  LazyTable<Slab> slabs_;                          // [0] is not used
  std::array<Number, kPage / kUnit> with_room_{};  // by units: list of slabs that are not full
  std::uint32_t empty_ = 0;                        // how many of those have no object
  Number unused_ = 0;                              // list of descriptors of slabs that were trimmed
  Number ever_used_ = 0;                           // descriptors with a higher number were never used
};

}  // namespace weir::memory
