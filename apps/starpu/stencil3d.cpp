// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <memory>
#include <vector>

#include "apps/common/isolated.hpp"
#include "apps/common/stopwatch.hpp"
#include "apps/starpu/out_of_core.hpp"
#include "apps/starpu/variants.hpp"

namespace weir::apps::starpu {
namespace {

using namespace stencil3d;

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

using Faces = std::array<starpu_data_handle_t, kSides>;

struct Cube {
  starpu_data_handle_t interior;
  std::array<Faces, 2> faces;
};

// What the codelets need of the grid that is worked on.
struct Work {
  const Settings* settings = nullptr;
  std::vector<Scratch> scratch;  // one a worker
  std::vector<std::uint64_t> sums;
};
Work* work = nullptr;

void run_border(void** buffers, void* packed) {
  const auto side = argument_of<Side>(packed);
  fill_border(side, {buffer(buffers, 0), size(work->settings->shape.face_cells())});
}

void run_fill(void** buffers, void* packed) {
  const Shape& shape = work->settings->shape;
  const std::span<double> cells(buffer(buffers, 0), size(shape.interior_cells()));
  fill_interior(shape, argument_of<Index>(packed), cells);
  for (int side = 0; side < kSides; ++side) {
    publish(shape, cells, Side(side), {buffer(buffers, size(side + 1)), size(shape.face_cells())});
  }
}

void run_relax(void** buffers, void*) {
  const double* halo[kSides];
  double* faces[kSides];
  for (std::size_t side = 0; side < kSides; ++side) {
    halo[side] = buffer(buffers, 1 + side);
    faces[side] = buffer(buffers, 1 + kSides + side);
  }
  work_on(*work->settings, buffer(buffers, 0), halo, faces, work->scratch[size(starpu_worker_get_id())].data());
}

void run_check(void** buffers, void* packed) {
  work->sums[size(argument_of<Index>(packed))] =
      checksum({buffer(buffers, 0), size(work->settings->shape.interior_cells())});
}

class Grid {
 public:
  explicit Grid(const Settings& settings) : settings_(settings), border_(make_faces(settings.shape)) {
    for (Index b = 0; b < settings.shape.block_count(); ++b) {
      cubes_.push_back({OutOfCore::make(size(settings.shape.interior_cells())),
                        {make_faces(settings.shape), make_faces(settings.shape)}});
    }
  }
  ~Grid() {
    drop(border_);
    for (const Cube& cube : cubes_) {
      OutOfCore::drop(cube.interior);
      for (const Faces& faces : cube.faces) drop(faces);
    }
  }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  void fill() {
    for (int side = 0; side < kSides; ++side) {
      std::array<starpu_data_descr, 1> data = {{{border_[size(side)], STARPU_W}}};
      OutOfCore::submit(border_codelet_, data, Side(side));
    }
    for (Index b = settings_.shape.block_count(); b-- > 0;) {
      std::vector<starpu_data_descr> data = {{cubes_[size(b)].interior, STARPU_W}};
      for (const auto face : cubes_[size(b)].faces[0]) data.push_back({face, STARPU_W});
      OutOfCore::submit(fill_codelet_, data, b);
    }
    OutOfCore::wait();
  }

  void submit(const Step& step) {
    Cube& own = cubes_[size(step.block)];
    const auto parity = size(step.iteration % 2);
    std::vector<starpu_data_descr> data = {{own.interior, STARPU_RW}};
    for (int side = 0; side < kSides; ++side) {
      const Index other = neighbour(settings_.shape, step.block, Side(side));
      data.push_back(
          {other < 0 ? border_[size(side)] : cubes_[size(other)].faces[parity][opposite(Side(side))], STARPU_R});
    }
    for (const auto face : own.faces[1 - parity]) data.push_back({face, STARPU_W});
    OutOfCore::submit(relax_codelet_, data, step.block);
  }

  void check() {
    for (Index b = 0; b < settings_.shape.block_count(); ++b) {
      std::array<starpu_data_descr, 1> data = {{{cubes_[size(b)].interior, STARPU_R}}};
      OutOfCore::submit(check_codelet_, data, b);
    }
    OutOfCore::wait();
  }

 private:
  static Faces make_faces(const Shape& shape) {
    Faces faces;
    for (auto& face : faces) face = OutOfCore::make(size(shape.face_cells()));
    return faces;
  }
  static void drop(const Faces& faces) {
    for (const auto face : faces) OutOfCore::drop(face);
  }

  const Settings& settings_;
  Faces border_;
  std::vector<Cube> cubes_;
  starpu_codelet border_codelet_ = make_codelet(run_border, "border");
  starpu_codelet fill_codelet_ = make_codelet(run_fill, "fill");
  starpu_codelet relax_codelet_ = make_codelet(run_relax, "relax");
  starpu_codelet check_codelet_ = make_codelet(run_check, "check");
};

}  // namespace

Outcome run(const Settings& settings) {
  const OutOfCore runtime(settings, settings.shape.total_bytes());
  Work mine{&settings, {}, std::vector<std::uint64_t>(size(settings.shape.block_count()))};
  for (unsigned i = 0; i < starpu_worker_get_count(); ++i) mine.scratch.emplace_back(settings);
  work = &mine;
  Outcome outcome;
  outcome.budget_bytes = settings.budget;
  Grid grid(settings);
  grid.fill();
  const std::uint64_t stored = storage_bytes();
  const Stopwatch watch;
  for (const Step& step : order_of(settings)) grid.submit(step);
  OutOfCore::wait();
  outcome.seconds = watch.seconds();
  outcome.bytes_fetched = storage_bytes() - stored;
  grid.check();
  outcome.result = mine.sums;
  return outcome;
}

}  // namespace weir::apps::starpu
