// SPDX-License-Identifier: Apache-2.0

// The arithmetic of the stencil, written once for vectors of any width, for kernels_*.cpp only.
//
// As in seismic/sweep.hpp: everything has internal linkage, nothing of the standard library is used, and contraction
// to fused multiply-add is off, so that all widths give the same bits.
#pragma once

#include "apps/stencil3d/kernels.hpp"

namespace weir::apps::stencil3d {
namespace {

using Index = std::int64_t;

// next(a, b): a without its first lane, then the first of b. previous(a, b): the last lane of a, then b without its
// last.
template <int kWidth>
struct Vector;
template <>
struct Vector<2> {
  using Type __attribute__((vector_size(16), may_alias)) = double;
  static Type next(Type a, Type b) { return __builtin_shufflevector(a, b, 1, 2); }
  static Type previous(Type a, Type b) { return __builtin_shufflevector(a, b, 1, 2); }
  static Type splat(double a) { return Type{a, a}; }
};
#ifdef __AVX__
template <>
struct Vector<4> {
  using Type __attribute__((vector_size(32), may_alias)) = double;
  static Type next(Type a, Type b) { return __builtin_shufflevector(a, b, 1, 2, 3, 4); }
  static Type previous(Type a, Type b) { return __builtin_shufflevector(a, b, 3, 4, 5, 6); }
  static Type splat(double a) { return Type{a, a, a, a}; }
};
#endif
#ifdef __AVX512F__
template <>
struct Vector<8> {
  using Type __attribute__((vector_size(64), may_alias)) = double;
  static Type next(Type a, Type b) { return __builtin_shufflevector(a, b, 1, 2, 3, 4, 5, 6, 7, 8); }
  static Type previous(Type a, Type b) { return __builtin_shufflevector(a, b, 7, 8, 9, 10, 11, 12, 13, 14); }
  static Type splat(double a) { return Type{a, a, a, a, a, a, a, a}; }
};
#endif

template <int kWidth>
struct Relax {
  using Lanes = Vector<kWidth>;
  using V = typename Lanes::Type;

  // A row and its neighbours, left and right of which lie single cells.
  struct Row {
    double* to;
    const double *here, *above, *below, *front, *back;
    double left, right;
  };

  static V load(const double* p) { return *reinterpret_cast<const V*>(p); }
  static void store(double* p, V value) { *reinterpret_cast<V*>(p) = value; }

  static void row(const Row& r, Index cells) {
    V previous = Lanes::splat(r.left);
    V here = load(r.here);
    for (Index x = 0; x < cells; x += kWidth) {
      const V next = x + kWidth < cells ? load(r.here + x + kWidth) : Lanes::splat(r.right);
      const V sides = Lanes::previous(previous, here) + Lanes::next(here, next);
      const V others = (load(r.above + x) + load(r.below + x));
      const V planes = (load(r.front + x) + load(r.back + x));
      store(r.to + x, 0.4 * here + 0.1 * ((sides + others) + planes));
      previous = here;
      here = next;
    }
  }

  // Plane z of the block, from itself and the planes before and behind it.
  static void plane(const Relaxation& w, Index z, double* to, const double* front, const double* here,
                    const double* back) {
    const Index n = w.side;
    for (Index y = 0; y < n; ++y) {
      const double* const at = here + y * n;
      row({to + y * n, at, y > 0 ? at - n : w.halo[2] + z * n, y + 1 < n ? at + n : w.halo[3] + z * n, front + y * n,
           back + y * n, w.halo[0][z * n + y], w.halo[1][z * n + y]},
          n);
    }
  }

  // A pair of sweeps on its way through the planes.
  struct Pair {
    const Relaxation& w;
    double* ring;  // the first sweep's result: plane z at z % 3

    const double* block_plane(Index z) const {
      return z < 0 ? w.halo[4] : z < w.side ? w.interior + z * w.side * w.side : w.halo[5];
    }
    double* ring_plane(Index z) const { return ring + z % 3 * w.side * w.side; }
    const double* swept_plane(Index z) const { return z < 0 ? w.halo[4] : z < w.side ? ring_plane(z) : w.halo[5]; }

    void first(Index z) const { plane(w, z, ring_plane(z), block_plane(z - 1), block_plane(z), block_plane(z + 1)); }
    void second(Index z) const {
      double* const to = w.interior + z * w.side * w.side;
      plane(w, z, to, swept_plane(z - 1), swept_plane(z), swept_plane(z + 1));
    }
    // In place of the second sweep, where there is none.
    void keep(Index z) const {
      double* const to = w.interior + z * w.side * w.side;
      const double* const from = ring_plane(z);
      for (Index i = 0; i < w.side * w.side; i += kWidth) store(to + i, load(from + i));
    }
    void step(Index z, bool both) const {
      if (z >= 0 && z < w.side) first(z);
      if (z < 1 || z > w.side) return;
      if (both) {
        second(z - 1);
      } else {
        keep(z - 1);
      }
    }
  };

  static void pass(const Relaxation& w, Index sweeps) {
    const Index pairs = (sweeps + 1) / 2;
    for (Index step = 0; step <= w.side + 2 * (pairs - 1); ++step) {
      for (Index p = 0; p < pairs; ++p) {
        Pair{w, w.scratch + p * 3 * w.side * w.side}.step(step - 2 * p, 2 * p + 1 < sweeps);
      }
    }
  }

  static void relax(const Relaxation& w) {
    for (Index done = 0; done < w.sweeps; done += 2 * w.pairs) {
      pass(w, w.sweeps - done < 2 * w.pairs ? w.sweeps - done : 2 * w.pairs);
    }
  }
};

}  // namespace
}  // namespace weir::apps::stencil3d
