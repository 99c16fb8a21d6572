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
  // Waits for the range that is being prepared; those that were not begun are forgotten.
  ~Preparer();
  Preparer(const Preparer&) = delete;
  Preparer& operator=(const Preparer&) = delete;

  // As Arena::growth_due() said; the arena outlives this. Only a hint: forgotten when many others wait.
  void prepare(const memory::Arena& arena, std::size_t offset, std::size_t bytes) noexcept;

 private:
  struct Range {
    const memory::Arena* arena = nullptr;
    std::size_t offset = 0, bytes = 0;
  };
  static constexpr std::size_t kMost = 16;

  void work() noexcept;

  base::Mutex mutex_;
  std::condition_variable asked_;
  std::array<Range, kMost> ranges_ WEIR_GUARDED_BY(mutex_){};  // a ring
  std::size_t first_ WEIR_GUARDED_BY(mutex_) = 0;
  std::size_t count_ WEIR_GUARDED_BY(mutex_) = 0;
  bool stop_ WEIR_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace weir::data
