// SPDX-License-Identifier: Apache-2.0

// Preparer: a thread that has the system clear the pages by which an arena will soon grow.
//
// Clearing pages takes the kernel milliseconds. Whoever moves blocks goes on meanwhile, and whoever allocates finds the
// pages there. Owned by the store; prepare() on any thread.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <thread>

#include "base/mutex.hpp"
#include "memory/arena.hpp"

namespace weir::data {

class Preparer {
 public:
  Preparer();
  // Waits for the piece that is being prepared; the others are forgotten.
  ~Preparer();
  Preparer(const Preparer&) = delete;
  Preparer& operator=(const Preparer&) = delete;

  // As Arena::growth_due() said; the arena outlives this. Large ones piece by piece. False: too many others wait.
  bool prepare(memory::Arena& arena, const memory::Arena::Range& due) noexcept;

 private:
  struct Order {
    memory::Arena* arena = nullptr;
    memory::Arena::Range range;
  };
  static constexpr std::size_t kMost = 16;

  void work() noexcept;
  Order take_piece() noexcept WEIR_REQUIRES(mutex_);

  base::Mutex mutex_;
  std::condition_variable asked_;
  std::array<Order, kMost> orders_ WEIR_GUARDED_BY(mutex_){};  // a ring
  std::size_t first_ WEIR_GUARDED_BY(mutex_) = 0;
  std::size_t count_ WEIR_GUARDED_BY(mutex_) = 0;
  bool stop_ WEIR_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace weir::data
