// SPDX-License-Identifier: Apache-2.0

#include "memory/memory_state.hpp"

#include "platform/pages.hpp"

namespace weir::memory {

MemoryState MemoryState::of_this_system() {
  return {.mappable = [] { return platform::memory_limit(); },
          .physical = [] { return platform::physical_memory_limit(); },
          .free_now = &platform::free_now,
          .free_or_cached = &platform::free_memory};
}

MemoryState MemoryState::shared_by(unsigned processes) const {
  if (processes <= 1) return *this;
  const auto limit = [processes](const std::function<platform::MemoryLimit()>& whole) {
    return [whole, processes] {
      platform::MemoryLimit share = whole();
      share.bytes /= processes;
      return share;
    };
  };
  const auto node = [processes](const std::function<Bytes(int)>& whole) {
    return [whole, processes](int os_node) { return Bytes{whole(os_node).count / processes}; };
  };
  return {limit(mappable), limit(physical), node(free_now), node(free_or_cached)};
}

}  // namespace weir::memory
