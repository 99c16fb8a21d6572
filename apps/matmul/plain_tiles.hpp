// SPDX-License-Identifier: Apache-2.0

// The matrices of the variants that leave placement to the kernel, as packed tiles: serial, OpenMP, and OpenMP over a
// mapped file.
#pragma once

#include <string>
#include <vector>

#include "apps/common/plain_memory.hpp"
#include "apps/matmul/solver.hpp"

namespace weir::apps::matmul {

class PlainTiles {
 public:
  // Throws weir::Error when the memory, or the file in `folder`, or OpenBLAS cannot be had.
  PlainTiles(const Shape& shape, const std::string& folder);

  // Tile (i, j) of A and of B.
  void fill(Index i, Index j);
  void work_on(const Step& step);
  void check(Checker& checker, Index i, Index j) const;

 private:
  View tile(const std::vector<double*>& matrix, Index i, Index j) const;

  Shape shape_;
  Blas blas_;
  PlainMemory memory_;
  std::vector<double*> a_, b_, c_;
};

}  // namespace weir::apps::matmul
