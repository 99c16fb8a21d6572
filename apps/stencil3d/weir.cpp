// SPDX-License-Identifier: Apache-2.0

// A task for each block and outer iteration. Its footprint is the block, the six faces that its neighbours published
// and the six that it will publish: no barrier, and nothing in memory but what the tasks at work name.
#include <algorithm>
#include <array>
#include <vector>

#include "apps/common/stopwatch.hpp"
#include "apps/common/tier_counters.hpp"
#include "apps/stencil3d/solver.hpp"
#include "weir/weir.hpp"

namespace weir::apps::stencil3d {
namespace {

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

using Cells = std::span<double>;
using Face = std::span<const double>;
using Faces = std::array<Block<double>, kSides>;

Faces make_faces(Runtime& runtime, const Shape& shape) {
  const auto face = [&] { return Block<double>(runtime, size(shape.face_cells()), "face"); };
  return {face(), face(), face(), face(), face(), face()};
}

struct Cube {
  Cube(Runtime& runtime, const Shape& shape)
      : interior(runtime, size(shape.interior_cells()), "interior"),
        faces{make_faces(runtime, shape), make_faces(runtime, shape)} {}

  Block<double> interior;
  std::array<Faces, 2> faces;  // by parity
};

class Grid {
 public:
  explicit Grid(const Settings& settings)
      : settings_(settings), runtime_(settings.runtime), border_(make_faces(runtime_, settings.shape)) {
    for (Index b = 0; b < settings.shape.block_count(); ++b) cubes_.emplace_back(runtime_, settings.shape);
    // One more than workers: a thread that helps while it waits has the index beyond.
    for (int i = 0; i <= runtime_.worker_count(); ++i) scratch_.emplace_back(settings);
  }

  Runtime& runtime() { return runtime_; }

  // From the last block to the first: the first iteration begins where this ends.
  void fill() {
    for (int side = 0; side < kSides; ++side) {
      runtime_.spawn(out(border_[size(side)]), name("border"), [side](Cells face) { fill_border(Side(side), face); });
    }
    for (Index b = settings_.shape.block_count(); b-- > 0;) fill(b);
    runtime_.wait();
  }

  void spawn(const Step& step) {
    Cube& own = cubes_[size(step.block)];
    const auto parity = size(step.iteration % 2);
    Faces& to = own.faces[1 - parity];
    const auto from = [&](Side side) -> const Block<double>& {
      const Index other = neighbour(settings_.shape, step.block, side);
      return other < 0 ? border_[size(side)] : cubes_[size(other)].faces[parity][opposite(side)];
    };
    runtime_.spawn(inout(own.interior), in(from(kXLow)), in(from(kXHigh)), in(from(kYLow)), in(from(kYHigh)),
                   in(from(kZLow)), in(from(kZHigh)), out(to[0]), out(to[1]), out(to[2]), out(to[3]), out(to[4]),
                   out(to[5]), name("relax"),
                   [this](Cells cells, Face x0, Face x1, Face y0, Face y1, Face z0, Face z1, Cells a, Cells b, Cells c,
                          Cells d, Cells e, Cells f) {
                     const double* const halo[] = {x0.data(), x1.data(), y0.data(), y1.data(), z0.data(), z1.data()};
                     double* const faces[] = {a.data(), b.data(), c.data(), d.data(), e.data(), f.data()};
                     work_on(settings_, cells.data(), halo, faces, scratch_[size(current_worker())].data());
                   });
  }

  std::vector<std::uint64_t> checksums() {
    std::vector<std::uint64_t> sums(cubes_.size());
    for (std::size_t b = 0; b < cubes_.size(); ++b) {
      runtime_.spawn(in(cubes_[b].interior), name("check"), [&sums, b](Face cells) { sums[b] = checksum(cells); });
    }
    runtime_.wait();
    return sums;
  }

 private:
  void fill(Index b) {
    Cube& cube = cubes_[size(b)];
    Faces& to = cube.faces[0];
    runtime_.spawn(out(cube.interior), out(to[0]), out(to[1]), out(to[2]), out(to[3]), out(to[4]), out(to[5]),
                   name("fill"), [this, b](Cells cells, Cells f0, Cells f1, Cells f2, Cells f3, Cells f4, Cells f5) {
                     fill_interior(settings_.shape, b, cells);
                     const Cells faces[] = {f0, f1, f2, f3, f4, f5};
                     for (int side = 0; side < kSides; ++side) publish(settings_.shape, cells, Side(side), faces[side]);
                   });
  }

  const Settings& settings_;
  std::vector<Scratch> scratch_;
  Runtime runtime_;
  Faces border_;
  std::vector<Cube> cubes_;
};

}  // namespace

Outcome run_weir(const Settings& settings) {
  Grid grid(settings);
  grid.fill();
  const std::vector<Step> steps = order_of(settings);
  Outcome outcome;
  const TierCounters counters(grid.runtime());
  const Stopwatch watch;
  for (const Step& step : steps) grid.spawn(step);
  grid.runtime().wait();
  outcome.seconds = watch.seconds();
  counters.add_to(outcome);
  outcome.result = grid.checksums();
  return outcome;
}

}  // namespace weir::apps::stencil3d
