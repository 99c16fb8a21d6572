// SPDX-License-Identifier: Apache-2.0

// The blocks of the variants that leave placement to the kernel: serial, OpenMP, and OpenMP over a mapped file.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "apps/common/plain_memory.hpp"
#include "apps/stencil3d/solver.hpp"

namespace weir::apps::stencil3d {

class PlainGrid {
 public:
  // Throws weir::Error when the memory, or the file in `folder`, cannot be had. The blocks are not filled.
  PlainGrid(const Settings& settings, const std::string& folder);

  void fill(Index block);
  void work_on(Index block, Index iteration, double* scratch);
  std::uint64_t checksum(Index block) const;

 private:
  struct Block {
    double* interior;
    double* faces[2][kSides];  // by parity
  };
  std::span<double> interior(Index block) const;

  const Settings& settings_;
  PlainMemory memory_;
  std::vector<Block> blocks_;
  std::array<double*, kSides> border_;
};

}  // namespace weir::apps::stencil3d
