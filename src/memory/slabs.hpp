// SPDX-License-Identifier: Apache-2.0

// Objects below a page: runs of four pages, each cut into objects of one size, a multiple of 64 bytes.
//
// The pages come from the caller (arena.hpp) and go back to it; their own bookkeeping is in their first 64 bytes and
// one byte a page beside them. Not thread-safe; nothing is allocated after construction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "memory/page_heap.hpp"

namespace weir::memory {

class Slabs {
 public:
  static constexpr std::size_t kUnit = 64;
  static constexpr std::size_t kPage = 4096;
  static constexpr std::uint32_t kSlabPages = 4;

  // Objects of so many units in one slab, which has 64 bytes of its own.
  static constexpr std::size_t capacity(std::size_t units) noexcept {
    return (kSlabPages * kPage - kUnit) / (units * kUnit);
  }

  // For pages of [memory, memory + pages * 4096). Throws std::bad_alloc.
  Slabs(std::byte* memory, std::uint32_t pages);

  // `units` of 64 bytes, 1 to 63; null when there is no slab with room: give it one by add().
  void* allocate(std::size_t units) noexcept;

  // Takes kSlabPages pages, which have memory, for objects of so many units.
  void add(std::uint32_t first_page, std::size_t units) noexcept;

  // What allocate(units) gave. An empty slab is kept until trim().
  void free(void* object, std::size_t units) noexcept;

  // Of an object that allocate() gave; 0 for memory that is not in a slab.
  std::size_t units_of(const void* object) const noexcept;

  // Frees the pages of empty slabs. O(slabs with room), if there is one to free.
  void trim(PageHeap& pages) noexcept;

 private:
  struct Slab;
  struct Free {
    void operator()(std::uint8_t* table) const noexcept { std::free(table); }
  };

  Slab* slab_of(const void* object) const noexcept;
  void link(Slab* slab, std::size_t units) noexcept;
  void unlink(Slab* slab, std::size_t units) noexcept;

  std::byte* memory_;
  std::unique_ptr<std::uint8_t[], Free> page_in_slab_;  // by page: 1 to kSlabPages; 0: not in a slab
  std::array<Slab*, kPage / kUnit> with_room_{};        // by units: list of slabs that are not full
  std::uint32_t empty_ = 0;                             // of them, those without an object
};

}  // namespace weir::memory
