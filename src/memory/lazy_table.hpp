// SPDX-License-Identifier: Apache-2.0

// LazyTable: a fixed number of zeroed entries that take memory only where they are used.
//
// Large tables come from the kernel as pages that appear when they are first written, so the tables of a space of many
// gigabytes cost what its used part needs.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

namespace weir::memory {

template <class Entry>
class LazyTable {
 public:
  static_assert(std::is_trivially_copyable_v<Entry> && std::is_trivially_destructible_v<Entry>);

  // Throws std::bad_alloc.
  explicit LazyTable(std::size_t entries) {
    if (entries > (std::numeric_limits<std::size_t>::max() - kAlignment) / sizeof(Entry)) throw std::bad_alloc();
    memory_.reset(static_cast<std::byte*>(std::calloc(entries * sizeof(Entry) + kAlignment, 1)));
    if (memory_ == nullptr) throw std::bad_alloc();
    const auto at = reinterpret_cast<std::uintptr_t>(memory_.get());
    entries_ = reinterpret_cast<Entry*>(memory_.get() + (kAlignment - at % kAlignment) % kAlignment);
  }

  Entry& operator[](std::size_t index) const noexcept { return entries_[index]; }

 private:
  static constexpr std::size_t kAlignment = std::bit_ceil(sizeof(Entry));

  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<std::byte[], Free> memory_;
  Entry* entries_;
};

}  // namespace weir::memory
