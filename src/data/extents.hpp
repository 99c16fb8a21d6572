// SPDX-License-Identifier: Apache-2.0

// Which granules of a range are taken: best fit, neighbours joined when they become free.
//
// Pure bookkeeping for file_store.hpp; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace weir::data {

// Multiples of Extents::kGranule.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

class Extents {
 public:
  static constexpr std::uint64_t kGranule = 4096;
  // No overflow: bytes is at most 2^63.
  static constexpr std::uint64_t rounded(std::uint64_t bytes) noexcept {
    return (bytes + kGranule - 1) / kGranule * kGranule;
  }

  explicit Extents(std::uint64_t capacity);  // a multiple of kGranule

  // None when no hole is large enough. `bytes`: a multiple of kGranule, not 0. O(log n).
  std::optional<Extent> reserve(std::uint64_t bytes);
  // An extent that reserve() gave and nobody released.
  void release(Extent extent);

  std::uint64_t used() const noexcept { return used_; }
  std::uint64_t peak() const noexcept { return peak_; }
  std::uint64_t largest_hole() const noexcept;

 private:
  void add_hole(Extent hole);
  void remove_hole(Extent hole);

  std::map<std::uint64_t, std::uint64_t> by_offset_;           // holes: offset -> bytes
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;  // the same: (bytes, offset)
  std::uint64_t used_ = 0;
  std::uint64_t peak_ = 0;
};

}  // namespace weir::data
