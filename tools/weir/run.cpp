// weir run: the applications, each in several variants that are timed in turns and checked against each other.
#include "run_seismic.hpp"
#include "run_tiers.hpp"
#include "verb.hpp"

namespace weir::tool {

void add_run(CLI::App& app, Global& global) {
  CLI::App& verb = add_verb(app, global,
                            {.name = "run",
                             .purpose = "applications, in several variants that are checked against each other",
                             .text = "Runs a program that was used to measure task runtimes, with Weir and without it.",
                             .examples = {{"weir run seismic", "waves in the ground, under a minute"},
                                          {"weir run stencil3d", "data larger than fast memory"}}},
                            nullptr);
  add_seismic(verb, global);
  add_stencil3d(verb, global);
  add_matmul(verb, global);
}

}  // namespace weir::tool
