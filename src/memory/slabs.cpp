// SPDX-License-Identifier: Apache-2.0

#include "memory/slabs.hpp"

#include <bit>

#include "base/check.hpp"

namespace weir::memory {

Slabs::Slabs(std::uint32_t pages) : slab_of_page_(pages), slabs_(pages / kSlabPages + std::size_t{1}) {}

std::uint64_t Slabs::allocate(std::size_t units) noexcept {
  const Number number = with_room_[units];
  if (number == 0) return kNowhere;
  Slab& slab = slabs_[number];
  std::size_t word = 0;
  while (slab.free[word] == 0) ++word;
  const auto bit = static_cast<std::size_t>(std::countr_zero(slab.free[word]));
  slab.free[word] &= slab.free[word] - 1;
  if (slab.free_count == slab.capacity) --empty_;
  if (--slab.free_count == 0) unlink(number, units);
  return std::uint64_t{slab.first_page} * kPage + (word * 64 + bit) * units * kUnit;
}

Slabs::Number Slabs::new_slab() noexcept {
  if (unused_ == 0) return ++ever_used_;
  const Number number = unused_;
  unused_ = slabs_[number].next;
  return number;
}

void Slabs::add(std::uint32_t first_page, std::size_t units) noexcept {
  const Number number = new_slab();
  for (std::uint32_t i = 0; i < kSlabPages; ++i) slab_of_page_[first_page + i] = number;
  const std::size_t count = capacity(units);
  Slab& slab = slabs_[number];
  slab = {};
  slab.first_page = first_page;
  slab.free_count = slab.capacity = static_cast<std::uint16_t>(count);
  slab.units = static_cast<std::uint16_t>(units);
  for (std::size_t i = 0; i < count; ++i) slab.free[i / 64] |= std::uint64_t{1} << (i % 64);
  link(number, units);
  ++empty_;
}

std::size_t Slabs::units_of(std::uint64_t offset) const noexcept {
  const Number number = slab_of_page_[offset / kPage];
  return number == 0 ? 0 : slabs_[number].units;
}

std::uint32_t Slabs::page_of_single(std::uint64_t offset) const noexcept {
  const Slab& slab = slabs_[slab_of_page_[offset / kPage]];
  return slab.free_count + 1 == slab.capacity ? slab.first_page : ~std::uint32_t{0};
}

void Slabs::free(std::uint64_t offset, std::size_t units) noexcept {
  const Number number = slab_of_page_[offset / kPage];
  Slab& slab = slabs_[number];
  const auto within = static_cast<std::uint32_t>(offset - std::uint64_t{slab.first_page} * kPage);
  const std::size_t index = within / static_cast<std::uint32_t>(units * kUnit);
  WEIR_ASSERT(number != 0 && slab.units == units, "memory of an arena is freed with another size than it has");
  WEIR_ASSERT((slab.free[index / 64] >> (index % 64) & 1) == 0, "memory of an arena is freed twice");
  slab.free[index / 64] |= std::uint64_t{1} << (index % 64);
  if (++slab.free_count == 1) link(number, units);
  if (slab.free_count == slab.capacity) ++empty_;
}

void Slabs::trim(PageHeap& pages) noexcept {
  for (std::size_t units = 1; units < with_room_.size() && empty_ > 0; ++units) {
    for (Number number = with_room_[units], next = 0; number != 0; number = next) {
      Slab& slab = slabs_[number];
      next = slab.next;
      if (slab.free_count != slab.capacity) continue;
      unlink(number, units);
      --empty_;
      for (std::uint32_t i = 0; i < kSlabPages; ++i) slab_of_page_[slab.first_page + i] = 0;
      pages.free(slab.first_page, kSlabPages);
      slab.next = unused_;
      unused_ = number;
    }
  }
}

void Slabs::link(Number number, std::size_t units) noexcept {
  Slab& slab = slabs_[number];
  slab.previous = 0;
  slab.next = with_room_[units];
  if (slab.next != 0) slabs_[slab.next].previous = number;
  with_room_[units] = number;
}

void Slabs::unlink(Number number, std::size_t units) noexcept {
  const Slab& slab = slabs_[number];
  if (slab.next != 0) slabs_[slab.next].previous = slab.previous;
  (slab.previous != 0 ? slabs_[slab.previous].next : with_room_[units]) = slab.next;
}

}  // namespace weir::memory
