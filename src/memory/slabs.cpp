// SPDX-License-Identifier: Apache-2.0

#include "memory/slabs.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "base/check.hpp"

namespace weir::memory {

// At the start of its pages.
struct Slabs::Slab {
  Slab* next;
  Slab* previous;
  std::uint64_t free[4];  // a bit for each object
  std::uint16_t free_count;
  std::uint16_t capacity;
  std::uint16_t units;

  static constexpr std::size_t kHeader = kUnit;  // capacity() counts on it
  std::byte* objects() noexcept { return reinterpret_cast<std::byte*>(this) + kHeader; }
};

Slabs::Slabs(std::byte* memory, std::uint32_t pages)
    : memory_(memory), page_in_slab_(static_cast<std::uint8_t*>(std::calloc(std::size_t{pages} + 1, 1))) {
  static_assert(sizeof(Slab) <= Slab::kHeader);
  if (page_in_slab_ == nullptr) throw std::bad_alloc();
}

void* Slabs::allocate(std::size_t units) noexcept {
  Slab* const slab = with_room_[units];
  if (slab == nullptr) return nullptr;
  std::size_t word = 0;
  while (slab->free[word] == 0) ++word;
  const auto bit = static_cast<std::size_t>(std::countr_zero(slab->free[word]));
  slab->free[word] &= slab->free[word] - 1;
  if (slab->free_count == slab->capacity) --empty_;
  if (--slab->free_count == 0) unlink(slab, units);
  return slab->objects() + (word * 64 + bit) * units * kUnit;
}

void Slabs::add(std::uint32_t first_page, std::size_t units) noexcept {
  for (std::uint32_t i = 0; i < kSlabPages; ++i) page_in_slab_[first_page + i] = static_cast<std::uint8_t>(i + 1);
  const std::size_t count = capacity(units);
  auto* slab = ::new (memory_ + std::size_t{first_page} * kPage) Slab{};
  slab->free_count = slab->capacity = static_cast<std::uint16_t>(count);
  slab->units = static_cast<std::uint16_t>(units);
  for (std::size_t i = 0; i < count; ++i) slab->free[i / 64] |= std::uint64_t{1} << (i % 64);
  link(slab, units);
  ++empty_;
}

Slabs::Slab* Slabs::slab_of(const void* object) const noexcept {
  const auto page = static_cast<std::size_t>(static_cast<const std::byte*>(object) - memory_) / kPage;
  return reinterpret_cast<Slab*>(memory_ + (page - (page_in_slab_[page] - 1u)) * kPage);
}

std::size_t Slabs::units_of(const void* object) const noexcept {
  const auto page = static_cast<std::size_t>(static_cast<const std::byte*>(object) - memory_) / kPage;
  return page_in_slab_[page] == 0 ? 0 : slab_of(object)->units;
}

void Slabs::free(void* object, std::size_t units) noexcept {
  Slab* const slab = slab_of(object);
  const auto offset = static_cast<std::uint32_t>(static_cast<std::byte*>(object) - slab->objects());
  const std::size_t index = offset / static_cast<std::uint32_t>(units * kUnit);
  WEIR_ASSERT((slab->free[index / 64] >> (index % 64) & 1) == 0, "memory of an arena is freed twice");
  slab->free[index / 64] |= std::uint64_t{1} << (index % 64);
  if (++slab->free_count == 1) link(slab, units);
  if (slab->free_count == slab->capacity) ++empty_;
}

void Slabs::trim(PageHeap& pages) noexcept {
  for (std::size_t units = 1; units < with_room_.size() && empty_ > 0; ++units) {
    for (Slab *slab = with_room_[units], *next = nullptr; slab != nullptr; slab = next) {
      next = slab->next;
      if (slab->free_count != slab->capacity) continue;
      unlink(slab, units);
      --empty_;
      const auto offset = static_cast<std::size_t>(reinterpret_cast<std::byte*>(slab) - memory_);
      const auto first = static_cast<std::uint32_t>(offset / kPage);
      std::fill_n(&page_in_slab_[first], kSlabPages, std::uint8_t{0});
      pages.free(first, kSlabPages);
    }
  }
}

void Slabs::link(Slab* slab, std::size_t units) noexcept {
  slab->previous = nullptr;
  slab->next = with_room_[units];
  if (slab->next != nullptr) slab->next->previous = slab;
  with_room_[units] = slab;
}

void Slabs::unlink(Slab* slab, std::size_t units) noexcept {
  if (slab->next != nullptr) slab->next->previous = slab->previous;
  (slab->previous != nullptr ? slab->previous->next : with_room_[units]) = slab->next;
}

}  // namespace weir::memory
