// SPDX-License-Identifier: Apache-2.0

// weir-demos: the verbs of `weir` that measure task runtimes with ready-made programs, which `weir` starts with its own
// command line.
#include <string>
#include <vector>

#include "apps/seismic/variant_names.hpp"
#include "interrupt.hpp"
#include "program.hpp"
#include "run_seismic.hpp"
#include "run_tiers.hpp"
#include "trace_file.hpp"
#ifdef WEIR_VERB_BENCH
#include "demos/bench_options.hpp"
#endif

namespace weir::tool {

namespace {

void add_run(CLI::App& app, Global& global) {
  CLI::App& verb = add_verb(
      app, global, {.name = "run", .purpose = "run a ready-made program", .text = "", .examples = {}}, nullptr);
  const auto& names = apps::seismic::kVariantNames;
  add_seismic(verb, global, {std::begin(names), std::end(names)}, &run_seismic);
  add_stencil3d(verb, global, &run_stencil3d);
  add_matmul(verb, global, &run_matmul);
}

int run(int argc, char** argv) {
  std::vector<AddVerb> verbs = {add_run};
#ifdef WEIR_VERB_BENCH
  verbs.push_back([](CLI::App& app, Global& global) {
    add_bench(app, global, {&run_tasks, &run_bench_tiers, &run_bench_shmem, &run_bench_bddt, &run_bench_prk});
  });
#endif
  handle_interrupts();
  convert_traces_with(trace_converter());
  return run_program(argc, argv, verbs);
}

}  // namespace
}  // namespace weir::tool

int main(int argc, char** argv) { return weir::tool::run(argc, argv); }
