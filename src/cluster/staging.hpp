// SPDX-License-Identifier: Apache-2.0

// Staging: copies of tiles that wait to be taken by another rank, in memory that no tier counts. Any thread.
//
// A task that sends while tasks may wait for room does not keep its block until the other rank has taken it: each of
// two ranks could then hold the room that the other one needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "cluster/ending.hpp"
#include "memory/arena.hpp"
#include "transport/region_memory.hpp"

namespace weir::cluster {

class Staging {
 public:
  // On a piece of the region.
  static base::Result<std::unique_ptr<Staging>> make(transport::RegionMemory& region, Bytes most);

  // Where in the region the copy lies; the ending gives it back. no_space names what was asked and what there is.
  struct Copy {
    std::uint64_t offset = 0;
    EndingPtr ending;
  };
  base::Result<Copy> copy(std::span<const std::byte> bytes);

 private:
  class Given;
  Staging(std::unique_ptr<memory::Arena> arena, std::uint64_t origin) noexcept
      : arena_(std::move(arena)), origin_(origin) {}
  void give_back(std::uint64_t place, std::size_t bytes) noexcept;

  base::Mutex mutex_;
  std::unique_ptr<memory::Arena> arena_ WEIR_GUARDED_BY(mutex_);
  const std::uint64_t origin_;  // of the piece, in the region
};

}  // namespace weir::cluster
