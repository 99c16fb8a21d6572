// SPDX-License-Identifier: Apache-2.0

// The pieces of an extent within a page; and Bits: some of the bytes of one page.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "checker/seam.hpp"

namespace weir::checker {

constexpr std::uintptr_t page_of(std::uintptr_t address) noexcept { return address & ~(kPageBytes - 1); }

// Calls visit(start, end) for each piece of a run of the extent within [from, to).
template <class Visit>
void for_each_run(const Extent& extent, std::uintptr_t from, std::uintptr_t to, Visit&& visit) {
  if (extent.empty()) return;
  const auto& [base, run_bytes, counts, strides] = extent;
  for (std::size_t i = 0; i < counts[0]; ++i) {
    const std::uintptr_t plane = base + i * strides[0];
    if (plane >= to) break;
    if (plane + (counts[1] - 1) * strides[1] + run_bytes <= from) continue;
    const bool before = from > plane + run_bytes && strides[1] != 0;
    for (std::size_t j = before ? (from - plane - run_bytes) / strides[1] : 0; j < counts[1]; ++j) {
      const std::uintptr_t start = plane + j * strides[1];
      if (start >= to) break;
      if (start + run_bytes > from) visit(std::max(start, from), std::min(start + run_bytes, to));
    }
  }
}

inline bool overlaps(const Extent& extent, std::uintptr_t from, std::uintptr_t to) {
  bool found = false;
  for_each_run(extent, from, to, [&](std::uintptr_t, std::uintptr_t) { found = true; });
  return found;
}

// A set of the bytes of a page.
class Bits {
 public:
  void set(std::size_t first, std::size_t last) noexcept {
    for_words(first, last, [&](std::size_t i, std::uint64_t mask) { words_[i] |= mask; });
  }
  bool any() const noexcept {
    return std::any_of(words_.begin(), words_.end(), [](std::uint64_t w) { return w != 0; });
  }
  bool operator[](std::size_t at) const noexcept { return (words_[at / 64] >> (at % 64) & 1) != 0; }
  bool contains(const Bits& other) const noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if ((other.words_[i] & ~words_[i]) != 0) return false;
    return true;
  }
  Bits& operator|=(const Bits& other) noexcept {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  friend Bits operator&(Bits a, const Bits& b) noexcept {
    for (std::size_t i = 0; i < a.words_.size(); ++i) a.words_[i] &= b.words_[i];
    return a;
  }
  friend Bits operator-(Bits a, const Bits& b) noexcept {
    for (std::size_t i = 0; i < a.words_.size(); ++i) a.words_[i] &= ~b.words_[i];
    return a;
  }
  // Calls visit(first, last) for each run of set bits.
  template <class Visit>
  void for_each_run(Visit&& visit) const {
    for (std::size_t at = next(0, true); at < kPageBytes;) {
      const std::size_t last = next(at, false);
      visit(at, last);
      at = next(last, true);
    }
  }
  // The first run: [first, last), empty when there is none.
  void first_run(std::size_t& first, std::size_t& last) const noexcept {
    first = next(0, true);
    last = next(first, false);
  }

 private:
  std::size_t next(std::size_t at, bool value) const noexcept {
    while (at < kPageBytes) {
      const std::uint64_t word = (value ? words_[at / 64] : ~words_[at / 64]) >> (at % 64);
      if (word != 0) return at + static_cast<std::size_t>(std::countr_zero(word));
      at = (at / 64 + 1) * 64;
    }
    return kPageBytes;
  }
  template <class Apply>
  static void for_words(std::size_t first, std::size_t last, Apply&& apply) noexcept {
    while (first < last) {
      const std::size_t end = std::min(last, (first / 64 + 1) * 64);
      const std::size_t count = end - first;
      const std::uint64_t ones = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
      apply(first / 64, ones << (first % 64));
      first = end;
    }
  }

  std::array<std::uint64_t, kPageBytes / 64> words_{};
};

// Those bytes of an extent that are in a page.
inline void add(Bits& bits, const Extent& extent, std::uintptr_t page) {
  for_each_run(extent, page, page + kPageBytes,
               [&](std::uintptr_t start, std::uintptr_t end) { bits.set(start - page, end - page); });
}

}  // namespace weir::checker
