// SPDX-License-Identifier: Apache-2.0

// Address ranges in order: the large allocations of a process, or the stacks of its threads.
//
// Its table lies in memory straight from the kernel, as it serves malloc(). Any thread; hold() and release() are for
// fork(), in whose child nobody would open the lock.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

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
  Range beginning_at(std::uintptr_t begin) noexcept;
  // The first range that ends after `address`; empty when there is none.
  Range at_or_after(std::uintptr_t address) noexcept;

  void hold() noexcept { pthread_mutex_lock(&mutex_); }
  void release() noexcept { pthread_mutex_unlock(&mutex_); }

 private:
  std::size_t first_ending_after(std::uintptr_t address) const noexcept;
  bool make_room() noexcept;
  void remove(std::size_t from, std::size_t to) noexcept;

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;  // guards all below
  Range* table_ = nullptr;
  std::size_t count_ = 0, capacity_ = 0;
};

}  // namespace weir::placer
