// SPDX-License-Identifier: Apache-2.0

#include "demos/bench_prk_options.hpp"

#include <memory>
#include <utility>

namespace weir::tool {
namespace {

const char* const kPrkText =
    "Runs the Parallel Research Kernels of the field guide to memory modes: nstream (A += B + 3 C), stencil (a star of "
    "radius 4 over tiles of 64 x 64 and of 32 x 32, then the input += 1), transpose (B += A transposed, A += 1), p2p "
    "(a "
    "wavefront) and dgemm. Results are verified as the kernels define, and the first iteration is not timed.\n\n"
    "Each kernel stands once, as tiles of work, the same machine code in every program; only how tiles are made "
    "parallel "
    "differs:\n\n"
    "  weir tasks    a task for each tile, ordered by footprints, no barrier\n"
    "                between the phases of an iteration\n"
    "  weir tasks-10 the same with a task for ten tiles of a row\n"
    "  weir flow     as tasks, nor a barrier between iterations: data may stay in\n"
    "                caches, so this is no measure of memory\n"
    "  weir loops    parallel_for over the tiles of a phase, row by row\n"
    "  weir affinity the same with a LoopAffinity for each phase\n"
    "  weir squares  as loops, in squares that are halved down to a tile\n"
    "  serial loops  one thread\n"
    "  libgomp, libomp  loops: omp for; taskloop-1 and taskloop-10: taskloop\n"
    "                with grainsize 1 and 10; depend and depend-10: tasks\n"
    "                with depend, of one and of ten tiles; flow: as depend,\n"
    "                no barrier between iterations\n"
    "  tbb           parallel_for over a 2-D range of tiles, by its auto,\n"
    "                simple, static and affinity partitioners\n\n"
    "A wavefront is a loop for each anti-diagonal, but for tasks, which know what they read. Each run is a process of "
    "its "
    "own, and all take turns in each round. Weir's ratio to the best other is the median of the rounds'. The exit "
    "status is "
    "1 when a run fails or a result is wrong.\n\n"
    "With --json, one object for each row: kernel, stores, memory, workers, runtime, way, value, unit, min, max, "
    "rounds, "
    "over_best_other, or error.";

void add_prk_options(CLI::App& verb, PrkSettings& settings) {
  bench::PrkRequest& request = settings.request;
  add_option(verb, "--kernels", request.kernels,
             "with commas between: nstream, stencil (or stencil-64, stencil-32), transpose, p2p, dgemm; default all")
      .type_name("LIST")
      .offers({"nstream", "stencil", "stencil-64", "stencil-32", "transpose", "p2p", "dgemm"});
  add_option(verb, "--runtimes", request.runtimes,
             "with commas between: weir, serial, libgomp, libomp, tbb; default those that were there at build")
      .type_name("LIST")
      .offers({"weir", "serial", "libgomp", "libomp", "tbb"});
  add_option(verb, "--stores", request.stores, "kind of store of nstream, stencil and transpose; default both")
      .among({"temporal", "non-temporal", "both"})
      .type_name("KIND");
  add_option(verb, "--memory", request.memory,
             "memory nodes for the arrays, as weir topo names them, with commas between, or all; default where threads "
             "touch them")
      .type_name("LIST");
  add_option(verb, "--workers", request.workers, "numbers of threads, with commas between; default one per core")
      .comma_separated()
      .type_name("N,...")
      .default_str("")
      .between(1, 1024);
  add_option(verb, "--rounds", request.rounds, "rounds in which all take turns; default 5").between(1, 1000);
  add_option(verb, "--timeout", request.timeout_s, "seconds after which a run has failed; default 120").positive();
  add_flag(verb, "--quick", request.quick, "arrays that fit into caches: whether all run, not how fast");
  add_option(verb, "--plot", settings.plot, "draw the medians to this .svg or .png file; needs gnuplot")
      .type_name("FILE");
}

}  // namespace

CLI::App& add_bench_prk(CLI::App& parent, Global& global, std::function<int(const PrkSettings&, Global&)> run) {
  auto settings = std::make_shared<PrkSettings>();
  CLI::App& verb =
      add_verb(parent, global,
               {.name = "prk",
                .purpose = "Parallel Research Kernels, compared with OpenMP and oneTBB",
                .text = kPrkText,
                .examples = {{"weir bench prk", "everything, about eight minutes on two cores"},
                             {"weir bench prk --kernels stencil --plot stencil.svg", "the guide's figures"},
                             {"weir bench prk --memory all --kernels nstream", "each memory node"},
                             {"weir bench prk --quick --rounds 1", "whether all of it runs"},
                             {"weir bench prk --json > prk.json", "for programs: one object per row"}}},
               [settings, run = std::move(run)](Global& g) { return run(*settings, g); });
  add_prk_options(verb, *settings);
  return verb;
}

}  // namespace weir::tool
