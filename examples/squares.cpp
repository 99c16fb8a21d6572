// SPDX-License-Identifier: Apache-2.0

// A loop in two dimensions. A matrix is read along its rows and written along its columns, so work that is cut into
// squares finds more of both in the caches than work that is cut into rows.
#include <weir/weir.hpp>

#include <cstddef>
#include <cstdio>
#include <numeric>
#include <vector>

int main() {
  constexpr std::size_t kRows = 700, kColumns = 500;
  std::vector<double> a(kRows * kColumns), b(kColumns * kRows);
  std::iota(a.begin(), a.end(), 0.0);

  weir::Runtime runtime;
  using Square = weir::Range2<std::size_t>;
  weir::parallel_for(Square{0, kRows, 0, kColumns}, 32, [&](const Square& square) {
    for (std::size_t column = square.left; column < square.right; ++column)
      for (std::size_t row = square.top; row < square.bottom; ++row)
        b[column * kRows + row] = a[row * kColumns + column];
  });

  std::size_t wrong = 0;
  for (std::size_t i = 0; i < a.size(); ++i) wrong += b[i % kColumns * kRows + i / kColumns] != a[i] ? 1 : 0;
  std::printf("%zu of %zu elements are wrong\n", wrong, a.size());
  return wrong == 0 ? 0 : 1;
}
