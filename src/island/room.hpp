// SPDX-License-Identifier: Apache-2.0

// Room: whether there is memory for the pages of what has been given out and nobody has touched yet.
//
// Pages come when a process touches them: where the machine or a memory cgroup has no more, the kernel ends one by a
// signal. The master's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/result.hpp"
#include "memory/shared_backing.hpp"
#include "platform/memory_limit.hpp"

namespace weir::island {

class Room {
 public:
  // `backing` outlives it. `limit`: what memory there is now; tests give their own.
  explicit Room(
      const memory::SharedBacking& backing,
      std::function<platform::MemoryLimit()> limit = [] { return platform::physical_memory_limit(); });

  // no_space, saying what there is: the pages of the first `bytes` of the memory that are not there yet are more than
  // that. Always there is room where pages are not of this machine's memory: in a device, a file of a disk, or large
  // pages that are set aside. Asks the system where `bytes` are more than before, which takes 0.1 ms, and
  // 20 ns for each page of memory without a name.
  base::Status check(std::uint64_t bytes);

 private:
  std::uint64_t bytes_with_pages(std::uint64_t bytes) const;

  const memory::SharedBacking& backing_;
  const std::function<platform::MemoryLimit()> limit_;
  std::uint64_t checked_ = 0;  // bytes for which there was room; ~0: for all
};

}  // namespace weir::island
