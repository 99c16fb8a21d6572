// SPDX-License-Identifier: Apache-2.0

// The arithmetic of the wave problem, written once for vectors of any width, for kernels_*.cpp only.
//
// Each of those files is compiled for another instruction set and includes this one, so everything here has internal
// linkage and nothing of the standard library is used: an inline function shared with the rest of the program could
// be linked in its AVX-512 form everywhere. Lanes of a vector are computed as scalars would be, and contraction to
// fused multiply-add is off (CMakeLists.txt), so all widths and all variants give the same bits.
#pragma once

#include "apps/seismic/fields.h"

namespace weir::apps::seismic {
namespace {

constexpr Index least(Index a, Index b) { return a < b ? a : b; }
constexpr Index most(Index a, Index b) { return a > b ? a : b; }

// next(a, b): a without its first lane, then the first of b. previous(a, b): the last lane of a, then b without its
// last.
template <int kWidth>
struct Vector;
template <>
struct Vector<2> {
  using Aligned __attribute__((vector_size(16), may_alias)) = double;
  using Unaligned __attribute__((vector_size(16), aligned(8), may_alias)) = double;
  static Aligned next(Aligned a, Aligned b) { return __builtin_shufflevector(a, b, 1, 2); }
  static Aligned previous(Aligned a, Aligned b) { return __builtin_shufflevector(a, b, 1, 2); }
};
#ifdef __AVX__
template <>
struct Vector<4> {
  using Aligned __attribute__((vector_size(32), may_alias)) = double;
  using Unaligned __attribute__((vector_size(32), aligned(8), may_alias)) = double;
  static Aligned next(Aligned a, Aligned b) { return __builtin_shufflevector(a, b, 1, 2, 3, 4); }
  static Aligned previous(Aligned a, Aligned b) { return __builtin_shufflevector(a, b, 3, 4, 5, 6); }
};
#endif
#ifdef __AVX512F__
template <>
struct Vector<8> {
  using Aligned __attribute__((vector_size(64), may_alias)) = double;
  using Unaligned __attribute__((vector_size(64), aligned(8), may_alias)) = double;
  static Aligned next(Aligned a, Aligned b) { return __builtin_shufflevector(a, b, 1, 2, 3, 4, 5, 6, 7, 8); }
  static Aligned previous(Aligned a, Aligned b) { return __builtin_shufflevector(a, b, 7, 8, 9, 10, 11, 12, 13, 14); }
};
#endif

// Cell (y, 0) of each array.
struct Row {
  double* velocity;
  double* stress_x;
  double* stress_y;
  const double* material;
  const double* damping;
  const double* inverse_density;
};

// Where the rows of a grid are when each array is one piece of memory.
class WholeRows {
 public:
  explicit WholeRows(const Fields& f) : rows(f.rows), cols(f.cols), f_(f) {}
  Row row(Index y) const {
    const Index at = y * f_.stride;
    return {f_.velocity + at, f_.stress_x + at, f_.stress_y + at,
            f_.material + at, f_.damping + at,  f_.inverse_density + at};
  }
  const double* velocity(Index y) const { return f_.velocity + y * f_.stride; }
  const double* stress_y(Index y) const { return f_.stress_y + y * f_.stride; }

  const Index rows, cols;

 private:
  const Fields& f_;
};

// And when it is cut in bands.
class BandRows {
 public:
  explicit BandRows(const Bands& b) : rows(b.rows), cols(b.cols), b_(b) {}
  Row row(Index y) const {
    double* const state = state_row(y);
    const double* const ground = b_.ground[piece(y)] + offset(y);
    return {state, state + b_.array, state + 2 * b_.array, ground, ground + b_.array, ground + 2 * b_.array};
  }
  const double* velocity(Index y) const { return y == b_.end ? b_.velocity_below : state_row(y); }
  const double* stress_y(Index y) const { return y < b_.first[0] ? b_.stress_y_above : state_row(y) + 2 * b_.array; }

  const Index rows, cols;

 private:
  Index piece(Index y) const { return y >= b_.first[1] ? 1 : 0; }
  Index offset(Index y) const { return (y - b_.first[piece(y)]) * b_.stride; }
  double* state_row(Index y) const { return b_.state[piece(y)] + offset(y); }

  const Bands& b_;
};

template <int kWidth>
struct Kernel {
  using V = typename Vector<kWidth>::Aligned;

  static V load(const double* p) { return *reinterpret_cast<const V*>(p); }
  static V load_unaligned(const double* p) { return *reinterpret_cast<const typename Vector<kWidth>::Unaligned*>(p); }
  static void store(double* p, V value) { *reinterpret_cast<V*>(p) = value; }

  static V new_stress(V stress, V material, V here, V there) { return stress + material * (there - here); }
  static V new_velocity(V damping, V velocity, V inverse_density, V dx, V dy) {
    return damping * (velocity + inverse_density * (dx + dy));
  }

  // Phase 1 of a whole row.
  template <class Grid>
  static void stress_row_in(const Grid& grid, Index y) {
    const Row row = grid.row(y);
    const double* v = row.velocity;
    const double* below = grid.velocity(y + 1);
    const double* m = row.material;
    double* s = row.stress_x;
    double* t = row.stress_y;
    for (Index x = 0; x < grid.cols; x += kWidth) {
      const V here = load(v + x);
      const V material = load(m + x);
      store(s + x, new_stress(load(s + x), material, here, load_unaligned(v + x + 1)));
      store(t + x, new_stress(load(t + x), material, here, load(below + x)));
    }
  }

  // Phase 2 of a whole row.
  template <class Grid>
  static void velocity_row_in(const Grid& grid, Index y) {
    const Row row = grid.row(y);
    double* v = row.velocity;
    const double* d = row.damping;
    const double* l = row.inverse_density;
    const double* s = row.stress_x;
    const double* t = row.stress_y;
    const double* above = grid.stress_y(y - 1);
    for (Index x = 0; x < grid.cols; x += kWidth) {
      const V dx = load(s + x) - load_unaligned(s + x - 1);
      const V dy = load(t + x) - load(above + x);
      store(v + x, new_velocity(load(d + x), load(v + x), load(l + x), dx, dy));
    }
  }

  // Both phases of the cells [first, last) of a row, reading and writing each array once. `first` is a multiple of
  // kLine. Stresses above (`above`) and to the left are new already, velocities below and to the right are still old.
  // Not inlined: its pointers and those of the loops around it are more than there are registers, and g++ 12 then keeps
  // some of these in vector registers and moves them back for each vector (4 % of a sweep over bands).
  [[gnu::noinline]] static void both_phases(const Row& row, const double* above, const double* below, Index first,
                                            Index last) {
    double* v = row.velocity;
    double* s = row.stress_x;
    double* t = row.stress_y;
    const double* m = row.material;
    const double* d = row.damping;
    const double* l = row.inverse_density;
    V here = load(v + first);
    V left = load(s + first - kWidth);
    for (Index x = first; x < last; x += kWidth) {
      const V right = load(v + x + kWidth);
      const V material = load(m + x);
      const V stress_x = new_stress(load(s + x), material, here, Vector<kWidth>::next(here, right));
      const V stress_y = new_stress(load(t + x), material, here, load(below + x));
      store(s + x, stress_x);
      store(t + x, stress_y);
      const V dx = stress_x - Vector<kWidth>::previous(left, stress_x);
      const V dy = stress_y - load(above + x);
      store(v + x, new_velocity(load(d + x), here, load(l + x), dx, dy));
      here = right;
      left = stress_x;
    }
  }

  // Fetches, a few lines at a time, what the sweep needs next, so that memory works while the caches are computed on.
  template <class Grid>
  class Ahead {
   public:
    // Row blocks below come next while there are any in this sweep, then the top of the neighbour to the right.
    Ahead(const Grid& grid, const Sweep& w, Index block_row, Index block_rows, Index steps)
        : grid_(grid), steps_(steps) {
      const Index reach = w.iterations - 1;
      if (block_row + block_rows < w.row + w.rows) {
        set(block_row + block_rows, least(w.inner_rows, w.row + w.rows - block_row - block_rows), w.col - reach * kLine,
            w.cols + reach * kLine);
      } else {
        set(w.row - reach, least(w.inner_rows, w.rows) + reach, w.col + w.cols, w.cols);
      }
    }

    // Called `steps` times in all.
    void step() {
      ++step_;
      for (const Index until = step_ * lines_ / steps_; done_ < until; ++done_) {
        fetch(row_, first_ + col_);
        col_ += kLine;
        if (col_ == cols_) {
          col_ = 0;
          ++row_;
        }
      }
    }

   private:
    void set(Index row, Index rows, Index first, Index cols) {
      row_ = row;
      first_ = first;
      cols_ = cols;
      lines_ = rows * (cols / kLine);
    }
    void fetch(Index y, Index x) const {
      if (y < 0 || y >= grid_.rows || x < 0 || x >= grid_.cols) return;
      const Row row = grid_.row(y);
      __builtin_prefetch(row.velocity + x, 0, 2);
      __builtin_prefetch(row.stress_x + x, 0, 2);
      __builtin_prefetch(row.stress_y + x, 0, 2);
      __builtin_prefetch(row.material + x, 0, 2);
      __builtin_prefetch(row.damping + x, 0, 2);
      __builtin_prefetch(row.inverse_density + x, 0, 2);
    }

    const Grid& grid_;
    Index row_ = 0, first_ = 0, cols_ = 0, col_ = 0;
    Index lines_ = 0, done_ = 0, steps_, step_ = 0;
  };

  template <class Grid>
  static void step(const Grid& grid, const Source& source, const Sweep& w, Index skewed_row, Index skewed_col,
                   Index k) {
    const Index y = skewed_row - k;
    const Index first = most(0, skewed_col - k * kLine);
    const Index last = least(grid.cols, skewed_col + w.inner_cols - k * kLine);
    if (y < 0 || y >= grid.rows || first >= last) return;
    const Row row = grid.row(y);
    both_phases(row, grid.stress_y(y - 1), grid.velocity(y + 1), first, last);
    if (y == source.row && first <= source.col && source.col < last) {
      row.velocity[source.col] += source.pulse[w.first_iteration + k];
    }
  }

  template <class Grid>
  static void sweep_in(const Grid& grid, const Source& source, const Sweep& w) {
    for (Index top = w.row; top < w.row + w.rows; top += w.inner_rows) {
      const Index bottom = least(top + w.inner_rows, w.row + w.rows);
      Ahead<Grid> ahead(grid, w, top, bottom - top, (bottom - top) * w.iterations * (w.cols / w.inner_cols));
      for (Index k0 = 0; k0 < w.iterations; k0 += w.inner_iterations) {
        const Index k1 = least(k0 + w.inner_iterations, w.iterations);
        for (Index x = w.col; x < w.col + w.cols; x += w.inner_cols) {
          for (Index y = top; y < bottom; ++y) {
            for (Index k = k0; k < k1; ++k) {
              ahead.step();
              step(grid, source, w, y, x, k);
            }
          }
        }
      }
    }
  }

  static void stress_row(const Fields& f, Index y) { stress_row_in(WholeRows(f), y); }
  static void velocity_row(const Fields& f, Index y) { velocity_row_in(WholeRows(f), y); }
  static void stress_row_bands(const Bands& b, Index y) { stress_row_in(BandRows(b), y); }
  static void velocity_row_bands(const Bands& b, Index y) { velocity_row_in(BandRows(b), y); }
  static void sweep(const Fields& f, const Source& source, const Sweep& w) { sweep_in(WholeRows(f), source, w); }
  static void sweep_bands(const Bands& b, const Source& source, const Sweep& w) { sweep_in(BandRows(b), source, w); }
};

}  // namespace
}  // namespace weir::apps::seismic
