// SPDX-License-Identifier: Apache-2.0

// OpenMP, compiled twice: by g++ for libgomp and by clang++ for libomp. Loops as `omp for collapse(2)`, the same as
// `taskloop` with grains of 1 and of 10 tiles, and tasks that `depend` on what tiles touch, of one tile or
// (`depend-10`) ten of a row, with a taskwait after each iteration or (`flow`) none. A wavefront is a loop for each
// anti-diagonal.
#include <omp.h>

#include <stdexcept>

#include "bench/prk/contender.hpp"

namespace weir::prk {
namespace {

enum Way : std::size_t { loops, taskloop_1, taskloop_10, depend, depend_10, flow };

void for_phase(Kernel& kernel, int phase) {
  const Grid grid = kernel.grid(phase);
  if (!grid.wavefront) {
#pragma omp for collapse(2)
    for (int r = 0; r < grid.rows; ++r)
      for (int c = 0; c < grid.columns; ++c) kernel.run({phase, r, c});
    return;
  }
  for (int d = 0; d < diagonals_of(grid); ++d) {
    const Diagonal diagonal = diagonal_of(grid, d);
#pragma omp for
    for (int r = diagonal.first; r <= diagonal.last; ++r) kernel.run({phase, r, d - r});
  }
}

void taskloop_phase(Kernel& kernel, int phase, int grain) {
  const Grid grid = kernel.grid(phase);
  Kernel* const k = &kernel;
  if (!grid.wavefront) {
#pragma omp taskloop collapse(2) grainsize(grain) firstprivate(k, phase)
    for (int r = 0; r < grid.rows; ++r)
      for (int c = 0; c < grid.columns; ++c) k->run({phase, r, c});
    return;
  }
  for (int d = 0; d < diagonals_of(grid); ++d) {
    const Diagonal diagonal = diagonal_of(grid, d);
#pragma omp taskloop grainsize(grain) firstprivate(k, phase, d)
    for (int r = diagonal.first; r <= diagonal.last; ++r) k->run({phase, r, d - r});
  }
}

// A depend clause has a fixed number of items, so those that are not there are memory that nobody else names.
void depending_task(Kernel& kernel, Tile first, int grain, const Token* nothing) {
  const Touched t = kernel.touched(first, grain);
  const Token* in[kMostReads];
  for (int i = 0; i < kMostReads; ++i) in[i] = i < t.reads ? t.read[i] : nothing;
  Kernel* const k = &kernel;
  [[maybe_unused]] Token* const out = t.written[0];
  [[maybe_unused]] const Token *a = in[0], *b = in[1], *c = in[2], *d = in[3], *e = in[4];
  if (t.writes > 1) {
    [[maybe_unused]] Token* const second = t.written[1];
#pragma omp task firstprivate(k, first, grain) depend(inout : *out, *second) depend(in : *a, *b)
    run_group(*k, first, grain);
  } else if (t.reads == 0) {
#pragma omp task firstprivate(k, first, grain) depend(inout : *out)
    run_group(*k, first, grain);
  } else if (t.reads <= 2) {
#pragma omp task firstprivate(k, first, grain) depend(inout : *out) depend(in : *a, *b)
    run_group(*k, first, grain);
  } else {
#pragma omp task firstprivate(k, first, grain) depend(inout : *out) depend(in : *a, *b, *c, *d, *e)
    run_group(*k, first, grain);
  }
}

void run_loops(Kernel& kernel, int iterations) {
#pragma omp parallel
  for (int i = 0; i < iterations; ++i)
    for (int phase = 0; phase < kernel.phases(); ++phase) for_phase(kernel, phase);
}

void run_taskloops(Kernel& kernel, int iterations, int grain) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < iterations; ++i)
    for (int phase = 0; phase < kernel.phases(); ++phase) taskloop_phase(kernel, phase, grain);
}

void run_depending(Kernel& kernel, int iterations, int grain, bool waits) {
  const Token nothing = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < iterations; ++i) {
      each_task(kernel, grain, [&](Tile first) { depending_task(kernel, first, grain, &nothing); });
      if (waits) {
#pragma omp taskwait
      }
    }
#pragma omp taskwait
  }
}

class OpenmpContender final : public Contender {
 public:
  explicit OpenmpContender(int workers) {
    omp_set_dynamic(0);
    omp_set_num_threads(workers);
    int team = 0;
#pragma omp parallel
#pragma omp single
    team = omp_get_num_threads();
    if (team != workers) throw std::runtime_error("OpenMP gave a team of " + std::to_string(team));
  }
  std::vector<std::string> ways() const override {
    return {"loops", "taskloop-1", "taskloop-10", "depend", "depend-10", "flow"};
  }
  void initialise(Kernel& kernel) override {
    const Grid grid = kernel.grid(0);
#pragma omp parallel for collapse(2)
    for (int r = 0; r < grid.rows; ++r)
      for (int c = 0; c < grid.columns; ++c) kernel.initialise(r, c);
  }
  void run(Kernel& kernel, int iterations, std::size_t way) override {
    if (way == loops) run_loops(kernel, iterations);
    if (way == taskloop_1) run_taskloops(kernel, iterations, 1);
    if (way == taskloop_10) run_taskloops(kernel, iterations, 10);
    if (way == depend || way == flow) run_depending(kernel, iterations, 1, way == depend);
    if (way == depend_10) run_depending(kernel, iterations, 10, true);
  }
};

}  // namespace

std::unique_ptr<Contender> make_contender(int workers) { return std::make_unique<OpenmpContender>(workers); }

}  // namespace weir::prk
