// SPDX-License-Identifier: Apache-2.0

#include "bench/prk/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "apps/common/instruction_sets.hpp"
#include "bench/prk/loops.hpp"

namespace weir::prk {

extern const Loops kBaselineLoops;
#ifdef WEIR_PRK_X86
extern const Loops kAvx2Loops;
extern const Loops kAvx512Loops;
#endif

namespace {

constexpr double kTolerance = 1e-8;
constexpr std::size_t kAlignment = 128;
constexpr double kScalar = 3.0;
// Between arrays, so that equal places in them do not fall into one cache set.
constexpr std::size_t kGap = 13 * kAlignment;

const Loops& loops() {
#ifdef WEIR_PRK_X86
  static const Loops& best = *apps::runnable(&kAvx512Loops, &kAvx2Loops, kBaselineLoops).front();
#else
  static const Loops& best = kBaselineLoops;
#endif
  return best;
}

std::string wrong(const char* what, double found, double wanted) {
  return std::string(what) + " is " + std::to_string(found) + ", not " + std::to_string(wanted);
}

bool near(double found, double wanted) {
  return std::abs(found - wanted) <= kTolerance * std::max(1.0, std::abs(wanted));
}

struct Shares {
  std::size_t number, bytes;  // arrays, and bytes of each
};

Shares shares_of(const Shape& shape) {
  const auto n = std::size_t(shape.size);
  if (shape.kernel == "nstream") return {3, n * sizeof(double)};
  if (shape.kernel == "p2p") return {1, n * n * sizeof(double)};
  return {shape.kernel == "dgemm" ? 3u : 2u, n * n * sizeof(double)};
}

std::size_t step_of(const Shares& shares) { return (shares.bytes + kAlignment - 1) / kAlignment * kAlignment + kGap; }

// What all have: arrays in the memory given, cut in tiles.
class Tiled : public Kernel {
 public:
  Tiled(const Shape& shape, std::span<std::byte> memory)
      : memory_(memory),
        step_(step_of(shares_of(shape))),
        n_(shape.size),
        tile_(shape.tile),
        around_(shape.non_temporal) {}

 protected:
  double* array(std::size_t index) const { return reinterpret_cast<double*>(memory_.data() + index * step_); }
  int tiles_of(long elements) const { return int((elements + tile_ - 1) / tile_); }
  long first(int tile) const { return long(tile) * tile_; }
  long length(int tile, long elements) const { return std::min<long>(tile_, elements - first(tile)); }

  void cut(int rows, int columns) { tile_rows_ = rows, tile_columns_ = columns; }
  // Of the tile of a square array.
  Token& token(std::size_t index, int row, int column) const { return array(index)[first(row) * n_ + first(column)]; }
  bool has_tile(int row, int column) const {
    return row >= 0 && column >= 0 && row < tile_rows_ && column < tile_columns_;
  }

  std::span<std::byte> memory_;
  std::size_t step_;
  long n_;
  int tile_;
  bool around_;
  int tile_rows_ = 0, tile_columns_ = 0;
};

// A += B + s*C over vectors.
class Nstream final : public Tiled {
 public:
  Nstream(const Shape& shape, std::span<std::byte> memory) : Tiled(shape, memory) {
    tile_ = 8 * shape.tile * shape.tile;
    cut(tiles_of(n_), 1);
  }
  int phases() const override { return 1; }
  Grid grid(int) const override { return {tile_rows_, 1, false}; }
  void run(Tile tile) override {
    const long at = first(tile.row);
    loops().nstream(array(0) + at, array(1) + at, array(2) + at, kScalar, std::size_t(length(tile.row, n_)), around_);
  }
  Touched touched(Tile tile, int) override {
    Touched touched;
    touched.write(array(0)[first(tile.row)]);
    return touched;
  }
  void initialise(int row, int) override {
    const long at = first(row), count = length(row, n_);
    for (int a = 0; a < 3; ++a) std::fill_n(array(std::size_t(a)) + at, count, a == 0 ? 0.0 : 2.0);
  }
  std::string wrong_after(int iterations) const override {
    const double wanted = iterations * (2.0 + kScalar * 2.0);
    for (long i = 0; i < n_; ++i) {
      if (!near(array(0)[i], wanted)) return wrong("an element of A", array(0)[i], wanted);
    }
    return "";
  }
  double work() const override { return 4e-9 * sizeof(double) * double(n_); }
  const char* unit() const override { return "GB/s"; }
};

// out += star(in) within the border, then in += 1 everywhere.
class Stencil final : public Tiled {
 public:
  Stencil(const Shape& shape, std::span<std::byte> memory) : Tiled(shape, memory) {
    const int side = tiles_of(n_);
    cut(side, side);
  }
  int phases() const override { return 2; }
  Grid grid(int) const override { return {tile_rows_, tile_columns_, false}; }
  int lag() const override { return 1; }
  void run(Tile tile) override {
    if (tile.phase == 0) {
      relax(tile);
    } else {
      add(tile);
    }
    loops().finish(around_);
  }
  Touched touched(Tile first, int grain) override {
    Touched touched;
    const int r = first.row, c = first.column;
    touched.write(token(first.phase == 0 ? 1 : 0, r, c));
    if (first.phase == 1) return touched;
    for (const auto& [dr, dc] : {std::pair{0, 0}, {-1, 0}, {1, 0}, {0, -grain}, {0, grain}}) {
      if (has_tile(r + dr, c + dc)) touched.look(token(0, r + dr, c + dc));
    }
    return touched;
  }
  void initialise(int row, int column) override {
    for (long i = first(row); i < first(row) + length(row, n_); ++i) {
      for (long j = first(column); j < first(column) + length(column, n_); ++j) {
        in()[i * n_ + j] = double(i + j);
        out()[i * n_ + j] = 0;
      }
    }
  }
  // Each iteration adds 2 to every point within the border.
  std::string wrong_after(int iterations) const override {
    for (long i = 0; i < n_; ++i) {
      for (long j = 0; j < n_; ++j) {
        const bool inside = std::min(i, j) >= kRadius && std::max(i, j) < n_ - kRadius;
        const double wanted = inside ? 2.0 * iterations : 0.0, found = out()[i * n_ + j];
        if (!near(found, wanted)) return wrong("a point", found, wanted);
        if (!near(in()[i * n_ + j], double(i + j + iterations)))
          return wrong("an input", in()[i * n_ + j], double(i + j + iterations));
      }
    }
    return "";
  }
  double work() const override {
    const double points = double(n_ - 2 * kRadius) * double(n_ - 2 * kRadius);
    return 1e-9 * points * (2 * (4 * kRadius + 1) + 1);
  }
  const char* unit() const override { return "GFlop/s"; }

 private:
  double* in() const { return array(0); }
  double* out() const { return array(1); }
  void relax(Tile tile) {
    const long top = std::max(first(tile.row), kRadius), left = std::max(first(tile.column), kRadius);
    const long bottom = std::min(first(tile.row) + tile_, n_ - kRadius);
    const long right = std::min(first(tile.column) + tile_, n_ - kRadius);
    for (long i = top; i < bottom && left < right; ++i)
      loops().star(out() + i * n_ + left, in() + i * n_ + left, std::size_t(n_), std::size_t(right - left), around_);
  }
  void add(Tile tile) {
    const auto count = std::size_t(length(tile.column, n_));
    for (long i = first(tile.row); i < first(tile.row) + length(tile.row, n_); ++i)
      loops().add_one(in() + i * n_ + first(tile.column), count, around_);
  }
};

// B += A transposed, then A += 1, tile by tile.
class Transpose final : public Tiled {
 public:
  Transpose(const Shape& shape, std::span<std::byte> memory) : Tiled(shape, memory) { cut(tiles_of(n_), tiles_of(n_)); }
  int phases() const override { return 1; }
  Grid grid(int) const override { return {tile_rows_, tile_columns_, false}; }
  void run(Tile tile) override {
    const long i = first(tile.row), j = first(tile.column);
    loops().transpose(a() + i * n_ + j, b() + j * n_ + i, std::size_t(n_), std::size_t(length(tile.row, n_)),
                      std::size_t(length(tile.column, n_)), around_);
  }
  // A tile of A belongs to one tile of B.
  Touched touched(Tile first, int) override {
    Touched touched;
    touched.write(token(0, first.row, first.column));
    return touched;
  }
  void initialise(int row, int column) override {
    for (long i = first(row); i < first(row) + length(row, n_); ++i) {
      for (long j = first(column); j < first(column) + length(column, n_); ++j) {
        a()[i * n_ + j] = double(i * n_ + j);
        b()[i * n_ + j] = 0;
      }
    }
  }
  std::string wrong_after(int iterations) const override {
    const double added = double(iterations) * double(iterations - 1) / 2;
    for (long i = 0; i < n_; ++i) {
      for (long j = 0; j < n_; ++j) {
        const double wanted = double(j * n_ + i) * iterations + added;
        if (!near(b()[i * n_ + j], wanted)) return wrong("an element of B", b()[i * n_ + j], wanted);
      }
    }
    return "";
  }
  double work() const override { return 2e-9 * sizeof(double) * double(n_) * double(n_); }
  const char* unit() const override { return "GB/s"; }

 private:
  double* a() const { return array(0); }
  double* b() const { return array(1); }
};

// A wavefront: g(i,j) = g(i-1,j) + g(i,j-1) - g(i-1,j-1); in the end g(0,0) = -g(m-1,n-1).
class PointToPoint final : public Tiled {
 public:
  PointToPoint(const Shape& shape, std::span<std::byte> memory) : Tiled(shape, memory) {
    cut(tiles_of(n_), tiles_of(n_));
  }
  int phases() const override { return 1; }
  Grid grid(int) const override { return {tile_rows_, tile_columns_, true}; }
  void run(Tile tile) override {
    double* const g = array(0);
    const long bottom = first(tile.row) + length(tile.row, n_), right = first(tile.column) + length(tile.column, n_);
    for (long i = std::max(1L, first(tile.row)); i < bottom; ++i) {
      for (long j = std::max(1L, first(tile.column)); j < right; ++j)
        g[i * n_ + j] = g[(i - 1) * n_ + j] + g[i * n_ + j - 1] - g[(i - 1) * n_ + j - 1];
    }
    if (tile.row == tile_rows_ - 1 && tile.column == tile_columns_ - 1) g[0] = -g[n_ * n_ - 1];
  }
  // The last group writes what the first reads.
  Touched touched(Tile first, int grain) override {
    Touched touched;
    const int r = first.row, c = first.column;
    touched.write(token(0, r, c));
    if (r == tile_rows_ - 1 && c + grain >= tile_columns_ && (r > 0 || c > 0)) touched.write(token(0, 0, 0));
    if (r > 0) touched.look(token(0, r - 1, c));
    if (c > 0) touched.look(token(0, r, c - grain));
    return touched;
  }
  void initialise(int row, int column) override {
    for (long i = first(row); i < first(row) + length(row, n_); ++i) {
      for (long j = first(column); j < first(column) + length(column, n_); ++j)
        array(0)[i * n_ + j] = i == 0 ? double(j) : j == 0 ? double(i) : 0.0;
    }
  }
  std::string wrong_after(int iterations) const override {
    const double wanted = double(iterations) * double(2 * n_ - 2), found = array(0)[n_ * n_ - 1];
    return near(found, wanted) ? "" : wrong("the corner", found, wanted);
  }
  double work() const override { return 2e-9 * double(n_ - 1) * double(n_ - 1); }
  const char* unit() const override { return "GFlop/s"; }
};

// C += A*B, whose columns are j, j and 0.
class Dgemm final : public Tiled {
 public:
  Dgemm(const Shape& shape, std::span<std::byte> memory) : Tiled(shape, memory) {
    if (n_ % tile_ != 0) throw std::runtime_error("dgemm needs a size that is a multiple of the tile");
    cut(tiles_of(n_), tiles_of(n_));
  }
  int phases() const override { return 1; }
  Grid grid(int) const override { return {tile_rows_, tile_columns_, false}; }
  void run(Tile tile) override {
    const long i = first(tile.row), j = first(tile.column);
    for (long k = 0; k < n_; k += tile_)
      loops().multiply(array(2) + i * n_ + j, array(0) + i * n_ + k, array(1) + k * n_ + j, std::size_t(n_),
                       std::size_t(tile_));
  }
  Touched touched(Tile first, int) override {
    Touched touched;
    touched.write(token(2, first.row, first.column));
    return touched;
  }
  void initialise(int row, int column) override {
    for (long i = first(row); i < first(row) + tile_; ++i) {
      for (long j = first(column); j < first(column) + tile_; ++j) {
        array(0)[i * n_ + j] = array(1)[i * n_ + j] = double(j);
        array(2)[i * n_ + j] = 0;
      }
    }
  }
  std::string wrong_after(int iterations) const override {
    double found = 0;
    for (long i = 0; i < n_ * n_; ++i) found += array(2)[i];
    const double m = double(n_), wanted = 0.25 * m * m * m * (m - 1) * (m - 1) * iterations;
    return near(found, wanted) ? "" : wrong("the checksum", found, wanted);
  }
  double work() const override { return 2e-9 * double(n_) * double(n_) * double(n_); }
  const char* unit() const override { return "GFlop/s"; }
};

}  // namespace

std::size_t bytes_of(const Shape& shape) {
  const Shares shares = shares_of(shape);
  return shares.number * step_of(shares);
}

std::unique_ptr<Kernel> make_kernel(const Shape& shape, std::span<std::byte> memory) {
  const bool reuses = shape.kernel == "p2p" || shape.kernel == "dgemm";
  if (shape.non_temporal && reuses)
    throw std::runtime_error(shape.kernel + " has no non-temporal stores: it reads at once what it has written");
  if (shape.non_temporal && (shape.size % 2 != 0 || shape.tile % 2 != 0))
    throw std::runtime_error("non-temporal stores need an even size and an even tile");
  if (shape.size < 2 * kRadius + 1 || shape.tile < int(kRadius))
    throw std::runtime_error("the size or the tile is too small");
  if (shape.kernel == "nstream") return std::make_unique<Nstream>(shape, memory);
  if (shape.kernel == "stencil") return std::make_unique<Stencil>(shape, memory);
  if (shape.kernel == "transpose") return std::make_unique<Transpose>(shape, memory);
  if (shape.kernel == "p2p") return std::make_unique<PointToPoint>(shape, memory);
  if (shape.kernel == "dgemm") return std::make_unique<Dgemm>(shape, memory);
  throw std::runtime_error("no kernel " + shape.kernel);
}

}  // namespace weir::prk
