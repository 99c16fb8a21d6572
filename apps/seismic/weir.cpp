// SPDX-License-Identifier: Apache-2.0

// What dataflow can and a parallel loop cannot: a task takes a tile of the grid through several iterations while it is
// in cache. The tile is skewed, up and to the left by a row and a line of cache per iteration (fields.h), so that
// what it needs from its neighbours is there before it starts; which tasks these are follows from the footprints.
//
// Iterations are done in layers of Tiling::iterations; tiles of a layer are spawned row by row. Tiles of the next layer
// start as soon as those above and around them are done: there is no barrier anywhere.
#include <algorithm>

#include "apps/seismic/solver.hpp"
#include "weir/weir.hpp"

namespace weir::apps::seismic {
namespace {

// Rows [top, bottom) by columns [left, right).
struct Box {
  Index top, bottom, left, right;

  bool empty() const { return top >= bottom || left >= right; }
  // What of it is in the grid.
  Box within(const Fields& f) const {
    return {std::max<Index>(top, 0), std::min(bottom, f.rows), std::max<Index>(left, 0), std::min(right, f.cols)};
  }
  // A box to name in a footprint where this one may be empty: then a cell of another one.
  Box or_cell_of(const Box& other) const {
    return empty() ? Box{other.top, other.top + 1, other.left, other.left + 1} : *this;
  }
};

// An array watched in blocks as large as a tile.
template <class T>
class Tiled {
 public:
  Tiled(T* data, const Fields& f, const Tiling& tiling)
      : watched_(data, size(f.rows), size(f.cols), size(f.stride), size(tiling.rows), size(tiling.cols)) {}
  auto operator()(const Box& b) const {
    return watched_.tile(size(b.top), size(b.left), size(b.bottom - b.top), size(b.right - b.left));
  }

 private:
  Watched<T> watched_;
};

struct TiledArrays {
  TiledArrays(const Fields& f, const Tiling& tiling)
      : velocity(f.velocity, f, tiling),
        stress_x(f.stress_x, f, tiling),
        stress_y(f.stress_y, f, tiling),
        material(f.material, f, tiling),
        damping(f.damping, f, tiling),
        inverse_density(f.inverse_density, f, tiling) {}

  Tiled<double> velocity, stress_x, stress_y;
  Tiled<const double> material, damping, inverse_density;
};

// What a sweep touches, all its iterations together. Kernels read lines of cache, of which they may need one cell.
struct Touched {
  Touched(const Fields& f, const Sweep& w) {
    const Index reach = w.iterations - 1;
    const Index top = w.row - reach, left = w.col - reach * kLine;
    const Index bottom = w.row + w.rows, right = w.col + w.cols;
    updated = Box{top, bottom, left, right}.within(f);
    above = Box{top - 1, top, left, right}.within(f).or_cell_of(updated);
    before = Box{top, bottom, left - kLine, left}.within(f).or_cell_of(updated);
    // The first iteration alone goes as far down and to the right as the box.
    below = Box{bottom, bottom + 1, w.col, right}.within(f).or_cell_of(updated);
    after = Box{w.row, bottom, right, right + kLine}.within(f).or_cell_of(updated);
  }
  Box updated;
  Box above;   // stress in y is read
  Box before;  // stress in x is read
  Box below;   // velocity is read
  Box after;   // velocity is read
};

class WeirTiles final : public Solver {
 public:
  explicit WeirTiles(const Settings& settings)
      : kernels_(*settings.kernels), tiling_(settings.tiling), runtime_(settings.runtime) {}

  void run(const Fields& fields, const Source& source, Index first, Index count) override {
    if (count == 0) return;
    const TiledArrays arrays(fields, tiling_);
    const Index layers = (count + tiling_.iterations - 1) / tiling_.iterations;
    const Index depth = (count + layers - 1) / layers;  // the last layer is not much thinner than the others
    for (Index k = 0; k < count; k += depth) {
      const Index iterations = std::min(depth, count - k);
      const Index reach = iterations - 1;  // the skewed grid is this much larger
      for (Index y = 0; y < fields.rows + reach; y += tiling_.rows) {
        for (Index x = 0; x < fields.cols + reach * kLine; x += tiling_.cols) {
          spawn_tile(fields, source, arrays, tile(first + k, iterations, y, x));
        }
      }
    }
    runtime_.wait();
  }

 private:
  Sweep tile(Index first, Index iterations, Index row, Index col) const {
    return {first,
            iterations,
            row,
            tiling_.rows,
            col,
            tiling_.cols,
            std::min(tiling_.inner_iterations, iterations),
            tiling_.inner_rows,
            tiling_.inner_cols};
  }

  void spawn_tile(const Fields& f, const Source& source, const TiledArrays& a, const Sweep& w) {
    const Touched t(f, w);
    if (t.updated.empty()) return;
    runtime_.spawn(inout(a.velocity(t.updated)), inout(a.stress_x(t.updated)), inout(a.stress_y(t.updated)),
                   in(a.velocity(t.below)), in(a.velocity(t.after)), in(a.stress_x(t.before)), in(a.stress_y(t.above)),
                   in(a.material(t.updated)), in(a.damping(t.updated)), in(a.inverse_density(t.updated)), name("tile"),
                   [this, &f, &source, w] { kernels_.sweep(f, source, w); });
  }

  const Kernels& kernels_;
  Tiling tiling_;
  Runtime runtime_;
};

}  // namespace

std::unique_ptr<Solver> start_weir(const Settings& settings) { return std::make_unique<WeirTiles>(settings); }

}  // namespace weir::apps::seismic
