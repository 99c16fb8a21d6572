// SPDX-License-Identifier: Apache-2.0

#include "memory/page_heap.hpp"

#include "base/check.hpp"

namespace weir::memory {
namespace {

// Spreads neighbouring numbers: the treap's priorities.
std::uint32_t priority(std::uint32_t link) noexcept {
  link = (link ^ (link >> 16)) * 0x85ebca6bu;
  link = (link ^ (link >> 13)) * 0xc2b2ae35u;
  return link ^ (link >> 16);
}

}  // namespace

PageHeap::PageHeap(Index capacity) : table_(std::size_t{capacity} + 1), capacity_(capacity) {}

bool PageHeap::before(Link a, Link b) const noexcept {
  return at(a).begins != at(b).begins ? at(a).begins < at(b).begins : a < b;
}

// Parts a tree into what comes before `key` and the rest.
void PageHeap::split(Link tree, Link key, Link* left, Link* right) noexcept {
  while (tree != 0) {
    if (before(tree, key)) {
      *left = tree;
      left = &at(tree).right;
      tree = *left;
    } else {
      *right = tree;
      right = &at(tree).left;
      tree = *right;
    }
  }
  *left = *right = 0;
}

void PageHeap::merge(Link left, Link right, Link* to) noexcept {
  while (left != 0 && right != 0) {
    if (priority(left) > priority(right)) {
      *to = left;
      to = &at(left).right;
      left = *to;
    } else {
      *to = right;
      to = &at(right).left;
      right = *to;
    }
  }
  *to = left != 0 ? left : right;
}

void PageHeap::insert(Link hole) noexcept {
  Link* place = &root_;
  while (*place != 0 && priority(*place) >= priority(hole)) {
    place = before(*place, hole) ? &at(*place).right : &at(*place).left;
  }
  const Link below = *place;
  *place = hole;
  split(below, hole, &at(hole).left, &at(hole).right);
}

void PageHeap::erase(Link hole) noexcept {
  Link* place = &root_;
  while (*place != hole) place = before(*place, hole) ? &at(*place).right : &at(*place).left;
  merge(at(hole).left, at(hole).right, place);
}

void PageHeap::add_hole(Index first, Index pages) noexcept {
  table_[first].begins = pages;
  table_[first + pages - 1].ends = pages;
  insert(first + 1);
}

void PageHeap::remove_hole(Index first) noexcept {
  erase(first + 1);
  const Index pages = table_[first].begins;
  table_[first].begins = 0;
  table_[first + pages - 1].ends = 0;
}

PageHeap::Index PageHeap::allocate(Index pages) noexcept {
  Link best = 0;
  for (Link hole = root_; hole != 0;) {
    const bool fits = at(hole).begins >= pages;
    if (fits) best = hole;
    hole = fits ? at(hole).left : at(hole).right;
  }
  if (best == 0) return kNone;
  const Index first = best - 1;
  const Index rest = at(best).begins - pages;
  remove_hole(first);
  if (rest > 0) add_hole(first + pages, rest);
  free_pages_ -= pages;
  table_[first].left = pages;
  return first;
}

PageHeap::Index PageHeap::allocate_aligned(Index pages, Index alignment, Index phase) noexcept {
  const Index found = allocate(pages + alignment - 1);
  if (found == kNone) return kNone;
  const Index before = (alignment - (found + phase) % alignment) % alignment;
  const Index after = alignment - 1 - before;
  const Index first = found + before;
  if (before > 0) free(found, before);
  if (after > 0) free(first + pages, after);
  table_[first].left = pages;
  return first;
}

void PageHeap::free(Index first, Index pages) noexcept {
  WEIR_ASSERT(pages > 0 && first + pages <= capacity_, "pages beyond the heap are freed");
  free_pages_ += pages;
  if (const Index before = hole_before(first); before > 0) {
    first -= before;
    pages += before;
    remove_hole(first);
  }
  // The entry after the last page is there, and empty.
  if (const Index after = table_[first + pages].begins; after > 0) {
    remove_hole(first + pages);
    pages += after;
  }
  add_hole(first, pages);
}

bool PageHeap::resize(Index first, Index pages, Index wanted) noexcept {
  const Index next = first + pages;
  if (wanted < pages) {
    free(first + wanted, pages - wanted);
  } else if (const Index more = wanted - pages; more > 0) {
    const Index hole = hole_at(next);
    if (hole < more) return false;
    remove_hole(next);
    if (hole > more) add_hole(next + more, hole - more);
    free_pages_ -= more;
  }
  table_[first].left = wanted;
  return true;
}

PageHeap::Index PageHeap::largest_hole() const noexcept {
  if (root_ == 0) return 0;
  Link largest = root_;
  while (at(largest).right != 0) largest = at(largest).right;
  return at(largest).begins;
}

}  // namespace weir::memory
