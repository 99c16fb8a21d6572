// SPDX-License-Identifier: Apache-2.0

// Tiles of a watched array: a wavefront, and a plain range over the same memory that waits for just what it overlaps.
//
// Longest common subsequence of two texts, in tiles of a table: each needs the row above it and the column to its left.
#include <weir/weir.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

constexpr std::size_t kLength = 1200, kTile = 100, kSide = kLength + 1;  // one row and one column of zeros

char letter(std::size_t i, std::size_t seed) { return static_cast<char>('a' + (i * i / 7 + i * seed) % 4); }

void fill(int* table, std::size_t row, std::size_t column) {
  for (std::size_t y = row; y < row + kTile; ++y) {
    for (std::size_t x = column; x < column + kTile; ++x) {
      int* cell = table + y * kSide + x;
      cell[0] = letter(y, 3) == letter(x, 5) ? cell[-1 - static_cast<int>(kSide)] + 1
                                             : std::max(cell[-1], cell[-static_cast<int>(kSide)]);
    }
  }
}

}  // namespace

int main() {
  std::vector<int> cells(kSide * kSide), last_row(kLength);
  int* inner = &cells[kSide + 1];  // without the zeros: blocks begin where tiles do
  weir::Watched<int> table(inner, kLength, kLength, kSide, kTile, kTile);
  weir::Runtime runtime;
  for (std::size_t row = 0; row < kLength; row += kTile) {
    for (std::size_t column = 0; column < kLength; column += kTile) {
      const std::size_t up = row > 0 ? 1 : 0, left = column > 0 ? 1 : 0;
      runtime.spawn(weir::in(table.tile(row - up, column - left, kTile + up, kTile + left)),  // and what borders on it
                    weir::inout(table.tile(row, column, kTile, kTile)), [=] { fill(inner, row, column); });
    }
  }
  const int* bottom = &cells[kLength * kSide + 1];
  runtime.spawn(weir::in(bottom, kLength), weir::out(last_row.data(), kLength),
                [&] { std::copy_n(bottom, kLength, last_row.data()); });
  runtime.wait();

  std::vector<int> expected(kSide * kSide);
  for (std::size_t row = 0; row < kLength; row += kTile)
    for (std::size_t column = 0; column < kLength; column += kTile) fill(&expected[kSide + 1], row, column);
  std::printf("a common subsequence of %d letters\n", last_row.back());
  return std::equal(last_row.begin(), last_row.end(), expected.end() - kLength) ? 0 : 1;
}
