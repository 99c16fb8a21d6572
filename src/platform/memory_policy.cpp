// SPDX-License-Identifier: Apache-2.0

#include "platform/memory_policy.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace weir::platform {

namespace {

// As the kernel's header has them; older ones lack the last.
enum KernelMode : int { kDefault = 0, kPreferred = 1, kInterleave = 3, kPreferredMany = 5 };

}  // namespace

int kernel_mode(MemoryPolicy policy, std::size_t nodes) noexcept {
  if (nodes <= 1) return kPreferred;
  return policy == MemoryPolicy::interleaved ? kInterleave : kPreferredMany;
}

base::Result<ScopedMemoryPolicy> ScopedMemoryPolicy::set(MemoryPolicy policy, std::span<const int> os_nodes) {
  constexpr std::size_t kBits = 64;
  const int highest = *std::max_element(os_nodes.begin(), os_nodes.end());
  std::vector<unsigned long> bits(static_cast<std::size_t>(highest) / kBits + 1);
  for (const int node : os_nodes) bits[static_cast<std::size_t>(node) / kBits] |= 1ul << (node % int(kBits));
  const int mode = kernel_mode(policy, os_nodes.size());
  // The kernel takes one bit less than it is told.
  if (syscall(SYS_set_mempolicy, mode, bits.data(), kBits * bits.size() + 1) == 0) return ScopedMemoryPolicy();
  const int error = errno;
  const char* const why = error == EINVAL && mode == kPreferredMany ? "; the nearest of several nodes needs Linux 5.15"
                                                                    : "; some containers forbid it";
  return base::Status{base::Code::unsupported,
                      fmt::format("the kernel refuses the memory policy: {}{}", std::strerror(error), why)};
}

ScopedMemoryPolicy::~ScopedMemoryPolicy() {
  if (active_) syscall(SYS_set_mempolicy, kDefault, nullptr, 0ul);
}

}  // namespace weir::platform
