// SPDX-License-Identifier: Apache-2.0

// RegionTable: this rank's memory that others reach, by the numbers of regions, and its bounds. The link's mutex guards
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.hpp"
#include "base/ids.hpp"

namespace weir::transport::mpi {

class RegionTable {
 public:
  void add(RegionId id, std::byte* data, Bytes size) {
    const auto index = static_cast<std::size_t>(id);
    if (regions_.size() <= index) regions_.resize(index + 1);
    regions_[index] = {data, size.count};
  }
  void remove(RegionId id) { regions_[static_cast<std::size_t>(id)] = {}; }

  // Where those bytes of a region are. Checked: no operation goes beyond a region's end. Regions are alike on all
  // ranks, so that the one that asks looks here, too.
  std::byte* at(std::uint16_t number, std::uint64_t offset, std::uint64_t bytes) const {
    WEIR_CHECK(number < regions_.size() && regions_[number].data != nullptr,
               "an operation on a region that is not there, or not any more");
    const Memory& region = regions_[number];
    WEIR_CHECK(offset <= region.size && bytes <= region.size - offset, "an operation beyond the end of its region");
    return region.data + offset;
  }

 private:
  struct Memory {
    std::byte* data = nullptr;
    std::uint64_t size = 0;
  };

  std::vector<Memory> regions_;
};

}  // namespace weir::transport::mpi
