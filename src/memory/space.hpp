// SPDX-License-Identifier: Apache-2.0

// Space: offsets of a memory, given out with an exact budget: whole pages by best fit, smaller objects by slabs.
//
// All books lie in tables outside of the memory, and no address is known here. So what stands behind the offsets (a
// backing, arena.hpp) may be memory that the processor cannot address, or nothing at all. Deterministic: equal calls
// give equal offsets. Each owner keeps its own; not thread-safe. Nothing is allocated after construction.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "memory/page_heap.hpp"
#include "memory/slabs.hpp"

namespace weir::memory {

class Space {
 public:
  static constexpr std::size_t kPage = Slabs::kPage;
  static constexpr std::size_t kSmall = Slabs::kUnit;
  static constexpr std::size_t kSlab = Slabs::kSlabPages * kPage;
  static constexpr std::uint64_t kNowhere = Slabs::kNowhere;

  // What allocations together take of a space that has nothing else in it: small ones by the slab.
  class Sum {
   public:
    constexpr void add(std::size_t bytes) noexcept {
      const std::size_t size = charged(bytes);
      if (size >= kPage) {
        bytes_ += size;
        return;
      }
      const std::size_t units = size / kSmall;
      if (objects_[units]++ % Slabs::capacity(units) == 0) bytes_ += kSlab;
    }
    constexpr std::size_t bytes() const noexcept { return bytes_; }

   private:
    std::size_t bytes_ = 0;
    std::array<std::uint32_t, kPage / kSmall> objects_{};  // by units
  };

  // What an allocation counts for in used(): rounded up to 64, from 4096 on to 4096.
  static constexpr std::size_t charged(std::size_t bytes) noexcept {
    const std::size_t unit = bytes < kPage ? kSmall : kPage;
    return bytes == 0 ? unit : (bytes + unit - 1) / unit * unit;
  }

  // Offsets below `capacity`, rounded down to pages and less than 16 TiB; none of them has memory yet. Throws
  // std::bad_alloc.
  explicit Space(std::size_t capacity);

  // The next `bytes` offsets, of whole pages, have memory from now on.
  void add(std::size_t bytes) noexcept;

  // Best fit; kNowhere when no hole is large enough. A multiple of 64; from 4096 bytes on of 4096. O(log holes).
  std::uint64_t allocate(std::size_t bytes) noexcept {
    if (bytes > capacity_) return kNowhere;
    const std::size_t size = charged(bytes);
    std::uint64_t offset = kNowhere;
    if (size < kPage) {
      offset = slabs_.allocate(size / kSmall);
      if (offset == kNowhere) [[unlikely]]
        offset = allocate_small_slow(size / kSmall);
    } else {
      offset = allocate_pages(size / kPage);
    }
    if (offset != kNowhere) count(size);
    return offset;
  }

  // A multiple of `alignment`, a power of two, counted from `origin` before the first offset. Beyond 64 bytes a whole
  // number of pages is taken: size_of() says how much.
  std::uint64_t allocate_aligned(std::size_t bytes, std::size_t alignment, std::uintptr_t origin = 0) noexcept;

  // `bytes` as given to allocate(), or size_of().
  void free(std::uint64_t offset, std::size_t bytes) noexcept {
    const std::size_t size = charged(bytes);
    used_ -= size;
    if (size < kPage) return slabs_.free(offset, size / kSmall);
    free_pages(offset, size);
  }
  std::size_t size_of(std::uint64_t offset) const noexcept;

  struct Hole {
    std::uint64_t offset = 0;
    std::size_t bytes = 0;
  };
  // The largest hole is free no longer, as it has no memory until put_back(); 0 bytes: there is none. O(log holes).
  Hole take_out() noexcept;
  // Of what take_out() gave.
  void put_back(Hole hole) noexcept { pages_.free(page_of(hole.offset), page_of(hole.bytes)); }
  // The last offsets that had memory, which take_out() gave, are as before add().
  void shrink(std::size_t bytes) noexcept { size_ -= bytes; }
  // Whether an allocation of whole pages, `bytes` of them, could become `wanted` bytes, also whole pages, where it is;
  // then it has. As free() for `bytes`.
  bool resize(std::uint64_t offset, std::size_t bytes, std::size_t wanted) noexcept;
  // Whether allocate(wanted) finds a hole made of this allocation and what is free around it, once it is freed and
  // trim() was called. `bytes` as for free().
  bool has_room_in_place_of(std::uint64_t offset, std::size_t bytes, std::size_t wanted) const noexcept;

  // Makes whole what is free: pages of slabs that have become empty are kept until then. O(slabs with room).
  void trim() noexcept { slabs_.trim(pages_); }

  // A hole so large has room for allocate_aligned(bytes, alignment), wherever it lies; both are at most the capacity.
  static std::size_t room_for(std::size_t bytes, std::size_t alignment) noexcept;
  // How much add() has to bring so that allocate_aligned(bytes, alignment) succeeds, at least a page; both are at most
  // the capacity.
  std::size_t shortfall(std::size_t bytes, std::size_t alignment = kSmall) const noexcept;

  std::size_t capacity() const noexcept { return capacity_; }
  std::size_t size() const noexcept { return size_; }  // those below it have memory, but for what was taken out
  std::size_t used() const noexcept { return used_; }  // charged bytes of what is allocated now
  std::size_t peak() const noexcept { return peak_; }  // of used()
  std::size_t largest_free() const noexcept { return std::size_t{pages_.largest_hole()} * kPage; }
  std::size_t free_bytes() const noexcept { return std::size_t{pages_.free_pages()} * kPage; }

 private:
  static PageHeap::Index page_of(std::uint64_t offset) noexcept { return static_cast<PageHeap::Index>(offset / kPage); }
  static std::size_t whole_pages(std::size_t bytes) noexcept { return charged(std::max(bytes, kPage)); }
  std::uint64_t allocate_pages(std::size_t count) noexcept;
  std::uint64_t allocate_small_slow(std::size_t units) noexcept;
  void free_pages(std::uint64_t offset, std::size_t size) noexcept;
  void count(std::size_t size) noexcept {
    used_ += size;
    peak_ = std::max(peak_, used_);
  }

  PageHeap pages_;
  Slabs slabs_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  std::size_t used_ = 0;
  std::size_t peak_ = 0;
};

}  // namespace weir::memory
