// SPDX-License-Identifier: Apache-2.0

// Which pages of a range are free: best fit, neighbours joined when they become free.
//
// Pure bookkeeping for space.hpp, outside of the memory; not thread-safe. Holes are nodes of a treap ordered by size,
// then place, that lie in a table with an entry for each page: nothing is allocated after construction, and the table
// has memory only where holes begin or end.
#pragma once

#include <cstdint>

#include "memory/lazy_table.hpp"

namespace weir::memory {

class PageHeap {
 public:
  using Index = std::uint32_t;
  static constexpr Index kNone = ~Index{0};

  // All pages are taken at first. Throws std::bad_alloc.
  explicit PageHeap(Index capacity);

  // The first of `pages` pages, at least one, from the least hole that has them, at its start; kNone when none has.
  // O(log holes).
  Index allocate(Index pages) noexcept;
  // Likewise, with (first + phase) a multiple of `alignment`, a power of two. Needs a hole of pages + alignment - 1.
  Index allocate_aligned(Index pages, Index alignment, Index phase) noexcept;
  // How many pages were allocated together; `first` is the first of them.
  Index allocated(Index first) const noexcept { return table_[first].left; }

  // Pages that are taken now: allocated, or never freed before. O(log holes).
  void free(Index first, Index pages) noexcept;

  // Whether `pages` that were allocated together could become `wanted`, fewer or more, where they are; then they have.
  // O(log holes).
  bool resize(Index first, Index pages, Index wanted) noexcept;

  Index largest_hole() const noexcept;
  // Pages of the hole that ends just before `page`; 0 when that one is taken.
  Index hole_before(Index page) const noexcept { return page == 0 ? 0 : table_[page - 1].ends; }
  // Pages of the hole that begins at `page`, which may be the one after the last; 0 when none does.
  Index hole_at(Index page) const noexcept { return table_[page].begins; }
  Index free_pages() const noexcept { return free_pages_; }

 private:
  using Link = Index;  // index + 1; 0: none

  struct Page {
    Index begins;      // pages of the hole that begins here; 0: none does
    Index ends;        // pages of the hole that ends here
    Link left, right;  // of a hole that begins here: in the treap; left of an allocation: its pages
  };

  Page& at(Link link) const noexcept { return table_[link - 1]; }
  bool before(Link a, Link b) const noexcept;
  void insert(Link hole) noexcept;
  void erase(Link hole) noexcept;
  void split(Link tree, Link key, Link* left, Link* right) noexcept;
  void merge(Link left, Link right, Link* to) noexcept;
  void add_hole(Index first, Index pages) noexcept;
  void remove_hole(Index first) noexcept;

  LazyTable<Page> table_;
  [[maybe_unused]] Index capacity_;  // checked in debug builds
  Index free_pages_ = 0;
  Link root_ = 0;
};

}  // namespace weir::memory
