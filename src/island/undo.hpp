// SPDX-License-Identifier: Apache-2.0

// Undo: what memory held before a task that both reads and writes it, so that the task can run again when its worker
// has died in the middle. In the master's private memory; the master's thread.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "island/footprint.hpp"
#include "island/step.hpp"

namespace weir::island {

class Undo {
 public:
  // The task is ready: no other one writes there. What it only reads, or writes as a whole, needs no saving.
  void save(Memory& memory, std::span<const Access> footprint) {
    regions_.clear();
    bytes_.clear();
    for (const Access& access : footprint) {
      if (access.mode != Mode::inout && access.mode != Mode::commutative) continue;
      regions_.push_back(access.region);
      for_each_run(access.region, [&](const void* data, std::size_t bytes) {
        invalidate(Step::undo_before_save, memory, data, bytes);
        const auto* const from = static_cast<const std::byte*>(data);
        bytes_.insert(bytes_.end(), from, from + bytes);
      });
    }
  }
  // The worker has ended: memory is as it was.
  void restore(Memory& memory) const {
    const std::byte* from = bytes_.data();
    for (const Region& region : regions_) {
      for_each_run(region, [&](const void* data, std::size_t bytes) {
        invalidate(Step::undo_before_restore, memory, data, bytes);
        std::memcpy(const_cast<void*>(data), from, bytes);
        write_back(Step::undo_restored, memory, data, bytes);
        from += bytes;
      });
    }
  }

 private:
  std::vector<Region> regions_;
  std::vector<std::byte> bytes_;
};

}  // namespace weir::island
