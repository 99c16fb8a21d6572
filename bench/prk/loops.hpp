// SPDX-License-Identifier: Apache-2.0

// The innermost loops of the kernels, a table for each instruction set. Pure; any thread.
#pragma once

#include <cstddef>

namespace weir::prk {

inline constexpr long kRadius = 4;  // of the star

struct Loops {
  const char* instructions;
  // a += b + s*c
  void (*nstream)(double* a, const double* b, const double* c, double s, std::size_t count, bool around);
  // out += star of radius 4 around in, a row; `stride` elements from row to row.
  void (*star)(double* out, const double* in, std::size_t stride, std::size_t count, bool around);
  void (*add_one)(double* a, std::size_t count, bool around);
  // After star() and add_one() of a tile: others see what went around the caches.
  void (*finish)(bool around);
  // b (columns x rows of it) += a transposed, and a += 1; a tile of rows x columns of a.
  void (*transpose)(double* a, double* b, std::size_t order, std::size_t rows, std::size_t columns, bool around);
  // c += a*b, tiles of n x n in matrices whose rows are `order` apart.
  void (*multiply)(double* c, const double* a, const double* b, std::size_t order, std::size_t n);
};

}  // namespace weir::prk
