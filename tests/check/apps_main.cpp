// The applications on Weir, small: `PROGRAM seismic|stencil3d|matmul`. Linked with them as they are, and with mutants.
#include <cstdio>
#include <string_view>

#include "apps/matmul/solver.hpp"
#include "apps/seismic/earth.hpp"
#include "apps/seismic/solver.hpp"
#include "apps/stencil3d/solver.hpp"

using namespace weir::apps;

namespace {

int run_seismic() {
  auto problem = seismic::Problem::create(*seismic::layered_earth(24, 40), 1).value();
  problem.make_source(4);
  problem.reset(1);
  seismic::Settings settings;
  settings.block_rows = 5;
  settings.kernels = &seismic::best_kernels();
  seismic::start_weir_plain(settings)->run(problem.fields(), problem.source(), 0, 4);
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
  return app == "seismic" ? run_seismic() : app == "stencil3d" ? run_stencil3d() : run_matmul();
}
