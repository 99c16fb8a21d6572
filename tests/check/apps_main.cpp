// SPDX-License-Identifier: Apache-2.0

// The applications on Weir, small: `PROGRAM stencil3d|matmul|VARIANT`, a variant of Seismic. Linked with them as they
// are, and with mutants.
#include <cstdio>
#include <string_view>

#include "apps/matmul/solver.hpp"
#include "apps/seismic/earth.hpp"
#include "apps/seismic/solver.hpp"
#include "apps/stencil3d/solver.hpp"

using namespace weir::apps;

namespace {

int run_seismic(std::string_view variant) {
  auto problem = seismic::Problem::create(*seismic::layered_earth(24, 40), 1).value();
  problem.make_source(4);
  problem.reset(1);
  seismic::Settings settings;
  settings.block_rows = 5;
  settings.tiling = {2, 5, 16, 2, 4, 8};
  settings.kernels = &seismic::best_kernels();
  const auto solver = seismic::find_variant(variant)->start(settings);
  solver->take(problem.fields());
  solver->run(problem.fields(), problem.source(), 0, 4);
  solver->give_back(problem.fields());
  return 0;
}

int run_stencil3d() {
  stencil3d::Settings settings;
  settings.shape.blocks = {2, 2, 1};
  settings.shape.side = 8;
  settings.shape.iterations = 2;
  settings.shape.sweeps = 2;
  settings.kernels = &stencil3d::best_kernels();
  static_cast<void>(stencil3d::run_weir(settings));
  return 0;
}

int run_matmul() {
  matmul::Settings settings;
  settings.shape = {48, 16};
  static_cast<void>(matmul::run_weir(settings));
  return 0;
}

}  // namespace

int main(int, char** argv) {
  const std::string_view app = argv[1];
  return app == "stencil3d" ? run_stencil3d() : app == "matmul" ? run_matmul() : run_seismic(app);
}
