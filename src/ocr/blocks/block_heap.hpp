// SPDX-License-Identifier: Apache-2.0

// BlockHeap: the memory inside one data block, given out by ocrDbMalloc(). Its ranges are kept outside the block, so
// that the whole block is the program's.
//
// Several EDTs may hold the block in mode RW: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "memory/range_allocator.hpp"

namespace weir::ocr {

class BlockHeap {
 public:
  explicit BlockHeap(std::uint64_t bytes) : ranges_(bytes, kAlignment) {}

  // An offset that is a multiple of kAlignment; none when there is no room.
  std::optional<std::uint64_t> allocate(std::uint64_t bytes) {
    const base::Lock lock(mutex_);
    const auto range = ranges_.allocate(bytes);
    return range ? std::optional(range->offset) : std::nullopt;
  }
  // False: nothing starts there.
  bool free(std::uint64_t offset) {
    const base::Lock lock(mutex_);
    return ranges_.free(offset).has_value();
  }

  // For a checkpoint: what is given out, and giving it out again before anything else is.
  std::vector<memory::Range> taken() {
    const base::Lock lock(mutex_);
    return ranges_.taken();
  }
  [[nodiscard]] bool take(memory::Range range) {
    const base::Lock lock(mutex_);
    return ranges_.take(range);
  }

 private:
  static constexpr std::uint64_t kAlignment = 16;

  base::Mutex mutex_;
  memory::RangeAllocator ranges_;  // mutex_
};

}  // namespace weir::ocr
