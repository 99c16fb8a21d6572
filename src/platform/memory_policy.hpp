// SPDX-License-Identifier: Apache-2.0

// The memory policy of the calling thread, which programs inherit that it starts: for all memory that has no policy of
// its own. Node numbers are the kernel's.
#pragma once

#include <span>

#include "base/result.hpp"

namespace weir::platform {

enum class MemoryPolicy : unsigned char {
  nearest,      // on the nearest of these nodes that has room, else on any other
  interleaved,  // page after page on another one of them
};

// As the kernel numbers it for so many nodes.
int kernel_mode(MemoryPolicy policy, std::size_t nodes) noexcept;

// Until it ends, when the policy is the default again. Belongs to one thread.
class ScopedMemoryPolicy {
 public:
  // Fails with unsupported where the kernel forbids it, or is too old for the nearest of several nodes (Linux 5.15).
  static base::Result<ScopedMemoryPolicy> set(MemoryPolicy policy, std::span<const int> os_nodes);
  ScopedMemoryPolicy(ScopedMemoryPolicy&& other) noexcept : active_(other.active_) { other.active_ = false; }
  ScopedMemoryPolicy& operator=(ScopedMemoryPolicy&&) = delete;
  ~ScopedMemoryPolicy();

 private:
  ScopedMemoryPolicy() = default;
  bool active_ = true;
};

}  // namespace weir::platform
