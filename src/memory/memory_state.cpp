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

}  // namespace weir::memory
