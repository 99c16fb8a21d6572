// SPDX-License-Identifier: Apache-2.0

// Memory of one block map: bump allocation in slabs, with free lists by size. Everything goes at once in reset().
//
// Once it holds megabytes it asks for large pages: lists of many records grow in turn, each in a page of its own, and
// with small pages each would cost the translation of an address, too.
//
// Owned by a BlockMap and used by its thread only. Throws std::bad_alloc when the system has no memory.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <new>
#include <vector>

#include "platform/pages.hpp"

namespace weir::deps {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { reset(0); }

  // Not initialised. Aligned to 64 when `bytes` is a multiple of 64, to 32 otherwise. bytes >= 1.
  // Budget: 8 instructions when such memory was recycled.
  void* allocate(std::size_t bytes) {
    const std::size_t size = rounded(bytes);
    Free*& head = free_[class_of(size)];
    Free* const memory = head;
    if (memory == nullptr) [[unlikely]]
      return allocate_slow(size);
    head = memory->next;
    return memory;
  }
  // Takes back what allocate(bytes) gave, for the next allocation of about that size.
  void recycle(void* memory, std::size_t bytes) noexcept {
    Free*& head = free_[class_of(rounded(bytes))];
    head = ::new (memory) Free{head};
  }
  // Takes everything back; keeps at most `keep_bytes` from the system for what comes next.
  void reset(std::size_t keep_bytes) noexcept;

  std::size_t system_bytes() const noexcept { return system_bytes_; }

 private:
  struct Slab;
  struct Free {
    Free* next;
  };
  static constexpr std::size_t kGranule = 32;
  static constexpr std::size_t kSmall = 1024;  // up to here one class per granule, beyond one per power of two
  static constexpr std::size_t kClasses = kSmall / kGranule + 40;

  static constexpr std::size_t rounded(std::size_t bytes) noexcept {
    if (bytes <= kSmall) return (bytes + kGranule - 1) / kGranule * kGranule;
    return std::bit_ceil(bytes);
  }
  static constexpr std::size_t class_of(std::size_t rounded_bytes) noexcept {
    if (rounded_bytes <= kSmall) return rounded_bytes / kGranule - 1;
    const int powers = std::countr_zero(rounded_bytes) - std::countr_zero(kSmall);
    return kSmall / kGranule + static_cast<std::size_t>(powers) - 1;
  }
  [[gnu::noinline]] void* allocate_slow(std::size_t rounded_bytes);
  void add_slab(std::size_t at_least);
  void add_large_slab(std::size_t at_least);

  std::array<Free*, kClasses> free_{};
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  Slab* slabs_ = nullptr;               // newest first
  std::vector<platform::Pages> large_;  // slabs without a header
  std::size_t system_bytes_ = 0;
};

}  // namespace weir::deps
