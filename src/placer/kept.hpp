// SPDX-License-Identifier: Apache-2.0

// Large allocations that the program has freed, and that stay mapped where they were placed: the next one of about that
// size spares the kernel its work. A few, the last ones. Any thread; hold() and release() are for fork().
#pragma once

#include <cstddef>
#include <cstdint>

#include "placer/lock.hpp"
#include "placer/ranges.hpp"

namespace weir::placer {

class Kept {
 public:
  static constexpr std::size_t kMostOfOne = std::size_t{32} << 20, kMostBytes = std::size_t{64} << 20;

  // False when there is no room for it: take_oldest() makes some. Of at most kMostOfOne bytes.
  bool put(Range range) noexcept;
  // At least `size` bytes, and at most an eighth more, at a multiple of `alignment`; empty when there are none.
  Range take(std::size_t size, std::size_t alignment) noexcept;
  // Empty when nothing is kept.
  Range take_oldest() noexcept;
  // The first range that ends after `address`; empty when there is none.
  Range at_or_after(std::uintptr_t address) noexcept;

  void hold() noexcept { lock_.hold(); }
  void release() noexcept { lock_.release(); }
  // As a process ends: false when it would wait for ever, for a holder that does not go on.
  bool can_be_read() noexcept;

 private:
  static constexpr std::size_t kMost = 32;

  Range remove(std::size_t index) noexcept;

  Lock lock_;                 // guards all below
  Range ranges_[kMost] = {};  // the oldest first
  std::size_t count_ = 0, bytes_ = 0;
};

}  // namespace weir::placer
