// SPDX-License-Identifier: Apache-2.0

// The semantics of hbwmalloc.h over a heap: policies, error codes, and ordinary memory where a policy allows it.
//
// hbwmalloc.cpp has the one of this process; tests make others over described machines. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "alloc/tier_heap.hpp"
#include "hbwmalloc.h"

namespace weir::alloc {

class Hbw {
 public:
  // `heap` outlives it.
  explicit Hbw(TierHeap& heap) noexcept : heap_(heap) {}

  // As the functions of hbwmalloc.h.
  int check_available() const noexcept;
  hbw_policy_t policy() const noexcept;
  int set_policy(int mode) noexcept;
  void* allocate(std::size_t size) noexcept;
  void* allocate_zeroed(std::size_t num, std::size_t size) noexcept;
  void* reallocate(void* ptr, std::size_t size) noexcept;
  void free(void* ptr) noexcept;
  std::size_t usable_size(void* ptr) const noexcept;
  int memalign(void** memptr, std::size_t alignment, std::size_t size) noexcept;
  int memalign_psize(void** memptr, std::size_t alignment, std::size_t size, int pagesize) noexcept;
  int verify(void* addr, std::size_t size, int flags) const noexcept;

 private:
  // Null without errno.
  void* take(std::size_t size, std::size_t alignment) noexcept;

  static constexpr std::uint32_t kFixed = 1u << 8;  // a bit next to the policy: it cannot be set any more

  TierHeap& heap_;
  std::atomic<std::uint32_t> policy_{HBW_POLICY_PREFERRED};
};

}  // namespace weir::alloc
