// SPDX-License-Identifier: Apache-2.0

#include "memory/space.hpp"

#include "base/check.hpp"

namespace weir::memory {
namespace {

PageHeap::Index pages_of(std::size_t capacity) {
  WEIR_CHECK(capacity / Space::kPage < PageHeap::kNone, "a space of 16 TiB or more");
  return static_cast<PageHeap::Index>(capacity / Space::kPage);
}

}  // namespace

Space::Space(std::size_t capacity)
    : pages_(pages_of(capacity)), slabs_(pages_of(capacity)), capacity_(capacity / kPage * kPage) {}

void Space::add(std::size_t bytes) noexcept {
  WEIR_ASSERT(bytes % kPage == 0 && bytes <= capacity_ - size_, "a space gets more memory than it has offsets");
  pages_.free(static_cast<PageHeap::Index>(size_ / kPage), static_cast<PageHeap::Index>(bytes / kPage));
  size_ += bytes;
}

std::uint64_t Space::allocate_pages(std::size_t count) noexcept {
  const auto pages = static_cast<PageHeap::Index>(count);
  PageHeap::Index first = pages_.allocate(pages);
  if (first == PageHeap::kNone) [[unlikely]] {
    trim();
    first = pages_.allocate(pages);
  }
  return first == PageHeap::kNone ? kNowhere : std::uint64_t{first} * kPage;
}

std::uint64_t Space::allocate_small_slow(std::size_t units) noexcept {
  const std::uint64_t offset = allocate_pages(Slabs::kSlabPages);
  if (offset == kNowhere) return kNowhere;
  slabs_.add(static_cast<std::uint32_t>(offset / kPage), units);
  return slabs_.allocate(units);
}

std::uint64_t Space::allocate_aligned(std::size_t bytes, std::size_t alignment, std::uintptr_t origin) noexcept {
  if (alignment <= kSmall) return allocate(bytes);
  if (alignment <= kPage) return allocate(std::max(bytes, kPage));
  if (bytes > capacity_ || alignment > capacity_ || whole_pages(bytes) + alignment - kPage > capacity_) return kNowhere;
  const auto pages = static_cast<PageHeap::Index>(whole_pages(bytes) / kPage);
  const auto unit = static_cast<PageHeap::Index>(alignment / kPage);
  const auto phase = static_cast<PageHeap::Index>(origin / kPage % unit);
  PageHeap::Index first = pages_.allocate_aligned(pages, unit, phase);
  if (first == PageHeap::kNone) {
    trim();
    first = pages_.allocate_aligned(pages, unit, phase);
  }
  if (first == PageHeap::kNone) return kNowhere;
  count(pages * kPage);
  return std::uint64_t{first} * kPage;
}

void Space::free_pages(std::uint64_t offset, std::size_t size) noexcept {
  WEIR_ASSERT(offset % kPage == 0 && offset + size <= size_, "memory is freed that is not of this space");
  pages_.free(static_cast<PageHeap::Index>(offset / kPage), static_cast<PageHeap::Index>(size / kPage));
}

std::size_t Space::size_of(std::uint64_t offset) const noexcept {
  if (const std::size_t units = slabs_.units_of(offset); units > 0) return units * kSmall;
  return pages_.allocated(static_cast<PageHeap::Index>(offset / kPage)) * kPage;
}

Space::Hole Space::take_out() noexcept {
  const PageHeap::Index pages = pages_.largest_hole();
  if (pages == 0) return {};
  return {std::uint64_t{pages_.allocate(pages)} * kPage, std::size_t{pages} * kPage};
}

std::size_t Space::room_for(std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment > kPage) return whole_pages(bytes) + alignment - kPage;
  return alignment > kSmall || charged(bytes) >= kPage ? whole_pages(bytes) : kSlab;
}

bool Space::resize(std::uint64_t offset, std::size_t bytes, std::size_t wanted) noexcept {
  const std::size_t from = charged(bytes), to = charged(wanted);
  WEIR_ASSERT(from >= kPage && to >= kPage, "an allocation of a slab has no pages of its own");
  if (wanted > capacity_) return false;
  const auto first = static_cast<PageHeap::Index>(offset / kPage);
  const auto pages = static_cast<PageHeap::Index>(from / kPage), more = static_cast<PageHeap::Index>(to / kPage);
  if (!pages_.resize(first, pages, more)) {
    trim();
    if (!pages_.resize(first, pages, more)) return false;
  }
  used_ -= from;
  count(to);
  return true;
}

bool Space::has_room_in_place_of(std::uint64_t offset, std::size_t bytes, std::size_t wanted) const noexcept {
  const std::size_t size = charged(bytes);
  auto first = static_cast<PageHeap::Index>(offset / kPage);
  auto pages = static_cast<PageHeap::Index>(size / kPage);
  if (size < kPage) {
    first = slabs_.page_of_single(offset);
    pages = Slabs::kSlabPages;
    if (first == PageHeap::kNone) return false;
  }
  if (wanted > capacity_) return false;
  const std::size_t needed = charged(wanted) < kPage ? Slabs::kSlabPages : charged(wanted) / kPage;
  return std::size_t{pages_.hole_before(first)} + pages + pages_.hole_at(first + pages) >= needed;
}

std::size_t Space::shortfall(std::size_t bytes, std::size_t alignment) const noexcept {
  const std::size_t wanted = room_for(bytes, alignment);
  const std::size_t at_the_end = std::size_t{pages_.hole_before(static_cast<PageHeap::Index>(size_ / kPage))} * kPage;
  return wanted - std::min(at_the_end, wanted - kPage);
}

}  // namespace weir::memory
