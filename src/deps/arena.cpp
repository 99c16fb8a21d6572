// SPDX-License-Identifier: Apache-2.0

#include "deps/arena.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>

namespace weir::deps {

namespace {
constexpr std::size_t kFirstSlab = std::size_t{4} << 10;
constexpr std::size_t kLargestSlab = std::size_t{256} << 10;
constexpr std::align_val_t kAlignment{64};
}  // namespace

struct alignas(64) Arena::Slab {
  Slab* older;
  std::size_t bytes;  // with this header
};

std::size_t Arena::rounded(std::size_t bytes) noexcept {
  if (bytes <= kSmall) return (bytes + kGranule - 1) / kGranule * kGranule;
  return std::bit_ceil(bytes);
}

std::size_t Arena::class_of(std::size_t rounded_bytes) noexcept {
  if (rounded_bytes <= kSmall) return rounded_bytes / kGranule - 1;
  return kSmall / kGranule + static_cast<std::size_t>(std::countr_zero(rounded_bytes) - std::countr_zero(kSmall)) - 1;
}

void* Arena::allocate(std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  Free*& head = free_[class_of(size)];
  if (head != nullptr) {
    Free* const memory = head;
    head = memory->next;
    return memory;
  }
  const std::size_t alignment = size % 64 == 0 ? 64 : kGranule;
  const auto pad = [&] { return (alignment - reinterpret_cast<std::uintptr_t>(next_) % alignment) % alignment; };
  if (static_cast<std::size_t>(end_ - next_) < size + pad()) add_slab(size);
  std::byte* const memory = next_ + pad();
  next_ = memory + size;
  return memory;
}

void Arena::recycle(void* memory, std::size_t bytes) noexcept {
  Free*& head = free_[class_of(rounded(bytes))];
  head = ::new (memory) Free{head};
}

void Arena::reset(std::size_t keep_bytes) noexcept {
  Slab* kept = nullptr;
  while (slabs_ != nullptr) {
    Slab* const slab = slabs_;
    slabs_ = slab->older;
    if (kept == nullptr && slab->bytes <= keep_bytes) {
      kept = slab;
    } else {
      ::operator delete(slab, kAlignment);
    }
  }
  free_.fill(nullptr);
  slabs_ = kept;
  system_bytes_ = kept == nullptr ? 0 : kept->bytes;
  next_ = kept == nullptr ? nullptr : reinterpret_cast<std::byte*>(kept + 1);
  end_ = kept == nullptr ? nullptr : reinterpret_cast<std::byte*>(kept) + kept->bytes;
  if (kept != nullptr) kept->older = nullptr;
}

void Arena::add_slab(std::size_t at_least) {
  // What is left of the newest slab is lost: less than one allocation, of slabs that double.
  const std::size_t doubled = std::clamp(system_bytes_, kFirstSlab, kLargestSlab);
  const std::size_t bytes = std::max(doubled, at_least + sizeof(Slab));
  slabs_ = ::new (::operator new(bytes, kAlignment)) Slab{slabs_, bytes};
  system_bytes_ += bytes;
  next_ = reinterpret_cast<std::byte*>(slabs_ + 1);
  end_ = reinterpret_cast<std::byte*>(slabs_) + bytes;
}

}  // namespace weir::deps
