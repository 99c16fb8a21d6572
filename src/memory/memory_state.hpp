// SPDX-License-Identifier: Apache-2.0

// What memory there is to have at the moment: this system's answers, or those that a test gives.
//
// Any thread; each call asks anew.
#pragma once

#include <functional>

#include "base/ids.hpp"
#include "platform/memory_limit.hpp"

namespace weir::memory {

struct MemoryState {
  std::function<platform::MemoryLimit()> mappable;  // for new mappings: the machine, cgroups, ulimit -v and -d
  std::function<platform::MemoryLimit()> physical;  // for pages of mappings that exist: the machine, cgroups
  // What is free on a memory node, given by the kernel's number, and the same with what its file pages hold; 0: not
  // known.
  std::function<Bytes(int os_node)> free_now;
  std::function<Bytes(int os_node)> free_or_cached;

  static MemoryState of_this_system();
  // What each of so many processes has if they share it evenly.
  MemoryState shared_by(unsigned processes) const;
};

}  // namespace weir::memory
