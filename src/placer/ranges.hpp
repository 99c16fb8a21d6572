// SPDX-License-Identifier: Apache-2.0

// Address ranges in order: the large allocations of a process, or the stacks of its threads.
//
// Its table lies in memory straight from the kernel, as it serves malloc(). Any thread; hold() and release() are for
// fork(), in whose child no other thread would open the lock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "placer/lock.hpp"

namespace weir::placer {

struct Range {
  std::uintptr_t begin = 0, end = 0;
  std::size_t size() const noexcept { return end - begin; }
};

class Ranges {
 public:
  // False when the kernel gives no memory for the table. Ranges that overlap it are forgotten.
  bool add(Range range) noexcept;
  // The range that begins there, which is removed; empty when none does.
  Range take(std::uintptr_t begin) noexcept;
  // As take(), and keeps room for put_back(), which does not fail. It is called after each that was not empty.
  Range take_for_now(std::uintptr_t begin) noexcept;
  void put_back(Range range) noexcept;
  Range beginning_at(std::uintptr_t begin) noexcept;
  // The first range that ends after `address`; empty when there is none.
  Range at_or_after(std::uintptr_t address) noexcept;

  void hold() noexcept { lock_.hold(); }
  void release() noexcept { lock_.release(); }
  // As a process ends: false when it would wait for ever, for a holder that does not go on.
  bool can_be_read() noexcept;

 private:
  std::size_t first_ending_after(std::uintptr_t address) const noexcept;
  bool make_room() noexcept;
  void enter(Range range) noexcept;
  Range remove_beginning_at(std::uintptr_t begin) noexcept;
  void forget_overlapping(Range range) noexcept;
  void remove(std::size_t from, std::size_t to) noexcept;

  Lock lock_;  // guards all below
  Range* table_ = nullptr;
  std::size_t count_ = 0, capacity_ = 0;
  std::size_t kept_ = 0;  // room for ranges that will be put back
};

}  // namespace weir::placer
