// SPDX-License-Identifier: Apache-2.0

// weir-tiers-starpu stencil3d THREADS ORDER BUDGET FOLDER BX BY BZ SIDE ITERATIONS SWEEPS PAIRS
// weir-tiers-starpu matmul THREADS ORDER BUDGET FOLDER SIZE TILE
//
// One run of an application in StarPU, for `weir run` and `weir bench tiers`: prints an Outcome. Exit status 1 and a
// line on standard error when it cannot.
#include <signal.h>
#include <sys/prctl.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string_view>

#include "apps/starpu/variants.hpp"

namespace weir::apps::starpu {
namespace {

class Arguments {
 public:
  Arguments(int count, char** values) : next_(values + 1), end_(values + count) {}
  std::string text() {
    if (next_ == end_) throw std::runtime_error("called by weir, with the arguments in apps/starpu/main.cpp");
    return *next_++;
  }
  template <class Number>
  void read(Number& number) {
    number = static_cast<Number>(std::stoll(text()));
  }

 private:
  char** next_;
  char** end_;
};

void read(Arguments& arguments, TierSettings& settings) {
  arguments.read(settings.threads);
  arguments.read(settings.order);
  arguments.read(settings.budget);
  settings.folder = arguments.text();
}

Outcome run_stencil3d(Arguments& arguments) {
  stencil3d::Settings settings;
  read(arguments, settings);
  for (auto& blocks : settings.shape.blocks) arguments.read(blocks);
  arguments.read(settings.shape.side);
  arguments.read(settings.shape.iterations);
  arguments.read(settings.shape.sweeps);
  arguments.read(settings.pairs);
  settings.kernels = &stencil3d::best_kernels();
  return run(settings);
}

Outcome run_matmul(Arguments& arguments) {
  matmul::Settings settings;
  read(arguments, settings);
  arguments.read(settings.shape.size);
  arguments.read(settings.shape.tile);
  return run(settings);
}

void run_main(Arguments arguments) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // who asked is gone: the result is for nobody
  const std::string app = arguments.text();
  if (app != "stencil3d" && app != "matmul") throw std::runtime_error("no application " + app);
  Outcome outcome = app == "stencil3d" ? run_stencil3d(arguments) : run_matmul(arguments);
  finish(outcome);
  std::puts(to_text(outcome).c_str());
}

}  // namespace
}  // namespace weir::apps::starpu

int main(int argc, char** argv) {
  try {
    weir::apps::starpu::run_main({argc, argv});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}
