// SPDX-License-Identifier: Apache-2.0

// A task for each block and outer iteration, on processes without coherent memory. Blocks and faces lie one by one, in
// whole lines of cache; what goes from process to process is a block, when another one works on it, and faces.
#include "weir/island.hpp"

#include <array>
#include <vector>

#include "apps/common/island_options.hpp"
#include "apps/common/stopwatch.hpp"
#include "apps/stencil3d/solver.hpp"

namespace weir::apps::stencil3d {
namespace {

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

using Faces = std::array<double*, kSides>;

struct Cube {
  double* interior;
  std::array<Faces, 2> faces;  // by parity
};

// `settings` were there before the workers were forked: they have them at the same address.
struct Fill {
  const Settings* settings;
  Index block;
  double* interior;
  Faces faces;

  void operator()() const {
    const Shape& shape = settings->shape;
    const std::span<double> cells(interior, size(shape.interior_cells()));
    fill_interior(shape, block, cells);
    for (int side = 0; side < kSides; ++side) {
      publish(shape, cells, Side(side), {faces[size(side)], size(shape.face_cells())});
    }
  }
};

struct Relax {
  const Settings* settings;
  double* interior;
  Faces halo, faces;

  void operator()() const {
    static const Scratch kScratch(*settings);  // of the worker's process
    work_on(*settings, interior, halo.data(), faces.data(), kScratch.data());
  }
};

class Grid {
 public:
  explicit Grid(const Settings& settings)
      : settings_(settings), master_(island_options(settings, settings.shape.total_bytes())), border_(make_faces()) {
    const Shape& shape = settings.shape;
    for (int side = 0; side < kSides; ++side) {
      fill_border(Side(side), {border_[size(side)], size(shape.face_cells())});
    }
    for (Index b = 0; b < shape.block_count(); ++b) {
      cubes_.push_back({master_.allocate<double>(size(shape.interior_cells())), {make_faces(), make_faces()}});
    }
  }

  void fill() {
    const auto published = [n = size(settings_.shape.face_cells())](double* face) { return out(face, n); };
    for (Index b = 0; b < settings_.shape.block_count(); ++b) {
      const Cube& cube = cubes_[size(b)];
      const Faces& to = cube.faces[0];
      master_.spawn(out(cube.interior, size(settings_.shape.interior_cells())), published(to[0]), published(to[1]),
                    published(to[2]), published(to[3]), published(to[4]), published(to[5]), name("fill"),
                    Fill{&settings_, b, cube.interior, to});
    }
    master_.wait();
  }

  void spawn(const Step& step) {
    const Cube& own = cubes_[size(step.block)];
    const auto parity = size(step.iteration % 2);
    Faces from;
    for (int side = 0; side < kSides; ++side) {
      const Index other = neighbour(settings_.shape, step.block, Side(side));
      from[size(side)] = other < 0 ? border_[size(side)] : cubes_[size(other)].faces[parity][opposite(Side(side))];
    }
    const Faces& to = own.faces[1 - parity];
    const auto read = [n = size(settings_.shape.face_cells())](const double* face) { return in(face, n); };
    const auto published = [n = size(settings_.shape.face_cells())](double* face) { return out(face, n); };
    master_.spawn(inout(own.interior, size(settings_.shape.interior_cells())), read(from[0]), read(from[1]),
                  read(from[2]), read(from[3]), read(from[4]), read(from[5]), published(to[0]), published(to[1]),
                  published(to[2]), published(to[3]), published(to[4]), published(to[5]), name("relax"),
                  Relax{&settings_, own.interior, from, to});
  }
  void wait() { master_.wait(); }

  std::vector<std::uint64_t> checksums() const {
    std::vector<std::uint64_t> sums;
    for (const Cube& cube : cubes_) {
      sums.push_back(checksum({cube.interior, size(settings_.shape.interior_cells())}));
    }
    return sums;
  }

 private:
  Faces make_faces() {
    Faces faces;
    for (double*& face : faces) face = master_.allocate<double>(size(settings_.shape.face_cells()));
    return faces;
  }

  const Settings& settings_;
  island::Master master_;
  Faces border_;
  std::vector<Cube> cubes_;
};

}  // namespace

Outcome run_island(const Settings& settings) {
  Grid grid(settings);
  grid.fill();
  const std::vector<Step> steps = order_of(settings);
  Outcome outcome;
  const Stopwatch watch;
  for (const Step& step : steps) grid.spawn(step);
  grid.wait();
  outcome.seconds = watch.seconds();
  outcome.result = grid.checksums();
  return outcome;
}

}  // namespace weir::apps::stencil3d
