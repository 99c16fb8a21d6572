// SPDX-License-Identifier: Apache-2.0

#include "deps/arena.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>

namespace weir::deps {

namespace {
constexpr std::size_t kFirstSlab = std::size_t{4} << 10;
constexpr std::size_t kLargestSlab = std::size_t{256} << 10;
// From here on slabs have large pages, at most half as many as there are: pages of which a byte is used are there.
constexpr std::size_t kLargeFrom = std::size_t{4} << 20, kMostLarge = std::size_t{32} << 20;
constexpr std::align_val_t kAlignment{64};
constexpr std::ptrdiff_t kLine = 64;
// From this size on a line is left free behind each: lists that grow together, all of the same power of two, would
// otherwise have what is appended next in the same few sets of a cache, and most of it in none.
constexpr std::size_t kSpreadFrom = 512;
}  // namespace

struct alignas(64) Arena::Slab {
  Slab* older;
  std::size_t bytes;  // with this header
};

void* Arena::allocate_slow(std::size_t size) {
  const std::size_t alignment = size % 64 == 0 ? 64 : kGranule;
  const auto pad = [&] { return -reinterpret_cast<std::uintptr_t>(next_) & (alignment - 1); };
  if (static_cast<std::size_t>(end_ - next_) < size + pad()) add_slab(size);
  std::byte* const memory = next_ + pad();
  next_ = memory + size;
  if (size >= kSpreadFrom) next_ += std::min<std::ptrdiff_t>(kLine, end_ - next_);
  return memory;
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
  large_.clear();
  free_.fill(nullptr);
  slabs_ = kept;
  system_bytes_ = kept == nullptr ? 0 : kept->bytes;
  next_ = kept == nullptr ? nullptr : reinterpret_cast<std::byte*>(kept + 1);
  end_ = kept == nullptr ? nullptr : reinterpret_cast<std::byte*>(kept) + kept->bytes;
  if (kept != nullptr) kept->older = nullptr;
}

void Arena::add_slab(std::size_t at_least) {
  // What is left of the newest slab is lost: less than one allocation, of slabs that double.
  if (system_bytes_ >= kLargeFrom) return add_large_slab(at_least);
  const std::size_t doubled = std::clamp(system_bytes_, kFirstSlab, kLargestSlab);
  const std::size_t bytes = std::max(doubled, at_least + sizeof(Slab));
  slabs_ = ::new (::operator new(bytes, kAlignment)) Slab{slabs_, bytes};
  system_bytes_ += bytes;
  next_ = reinterpret_cast<std::byte*>(slabs_ + 1);
  end_ = reinterpret_cast<std::byte*>(slabs_) + bytes;
}

void Arena::add_large_slab(std::size_t at_least) {
  constexpr std::size_t kPage = std::size_t{2} << 20;
  const std::size_t wanted = std::max(at_least, std::min(system_bytes_ / 2, kMostLarge));
  const std::size_t bytes = (wanted + kPage - 1) / kPage * kPage;
  auto pages = platform::Pages::map({bytes}, std::nullopt);
  if (!pages) throw std::bad_alloc();
  large_.push_back(std::move(*pages));
  system_bytes_ += bytes;
  next_ = static_cast<std::byte*>(large_.back().data());
  end_ = next_ + bytes;
}

}  // namespace weir::deps
