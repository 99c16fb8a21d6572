// SPDX-License-Identifier: Apache-2.0

// Memory of one block map: bump allocation in slabs, with free lists by size. Everything goes at once in reset().
//
// Owned by a BlockMap and used by its thread only. Throws std::bad_alloc when the system has no memory.
#pragma once

#include <array>
#include <cstddef>

namespace weir::deps {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { reset(0); }

  // Not initialised. Aligned to 64 when `bytes` is a multiple of 64, to 32 otherwise. bytes >= 1.
  void* allocate(std::size_t bytes);
  // Takes back what allocate(bytes) gave, for the next allocation of about that size.
  void recycle(void* memory, std::size_t bytes) noexcept;
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

  static std::size_t rounded(std::size_t bytes) noexcept;
  static std::size_t class_of(std::size_t rounded_bytes) noexcept;
  void add_slab(std::size_t at_least);

  std::array<Free*, kClasses> free_{};
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  Slab* slabs_ = nullptr;  // newest first
  std::size_t system_bytes_ = 0;
};

}  // namespace weir::deps
