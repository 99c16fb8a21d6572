// SPDX-License-Identifier: Apache-2.0

// Room: whether there is memory for what has been given out and nobody has touched yet.
//
// Pages come when a process touches them: where the machine, a memory cgroup or the file system of the memory's file
// has no more, the kernel ends one by a signal. So the memory is looked for, and the file's room is taken, before that.
// The master's thread.
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
  // `backing` outlives it. `copies`: of each page, in memory of the processes' own, at least. `limit`: what memory
  // there is now; tests give their own.
  explicit Room(
      const memory::SharedBacking& backing, unsigned copies = 0,
      std::function<platform::MemoryLimit()> limit = [] { return platform::physical_memory_limit(); });

  // no_space, saying what there is: the pages of the first `bytes` of the memory that are not there yet are more than
  // that, or their file cannot have them. Always there is room in a device, and in large pages, which are set aside.
  // Asks the system where `bytes` are more than before, which takes 0.1 ms, and 20 ns for each page of memory without a
  // name. A file has its room from then on, 2 MiB at a time, whoever else writes to its file system.
  base::Status check(std::uint64_t bytes);

 private:
  std::uint64_t bytes_with_pages(std::uint64_t bytes) const;
  base::Status check_memory(std::uint64_t bytes);
  base::Status take_room(std::uint64_t bytes);

  const memory::SharedBacking& backing_;
  const unsigned copies_;
  const std::function<platform::MemoryLimit()> limit_;
  std::uint64_t checked_ = 0;  // bytes for which there was memory; ~0: for all
  std::uint64_t taken_ = 0;    // bytes that the file has room for; ~0: for all
};

}  // namespace weir::island
