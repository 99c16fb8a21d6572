// SPDX-License-Identifier: Apache-2.0

// weir: the list of verbs.
#include <vector>

#include "demos/demos.hpp"
#include "interrupt.hpp"
#include "program.hpp"
#include "trace_file.hpp"

namespace weir::tool {

void add_topo(CLI::App& app, Global& global);
void add_stream(CLI::App& app, Global& global);
void add_run(CLI::App& app, Global& global);
void add_trace(CLI::App& app, Global& global);
void add_report(CLI::App& app, Global& global);
void add_sim(CLI::App& app, Global& global);
void add_advise(CLI::App& app, Global& global);
void add_explain(CLI::App& app, Global& global);
void add_check(CLI::App& app, Global& global);

namespace {

int run(int argc, char** argv) {
  const std::vector<AddVerb> verbs = {
      add_topo,        add_stream, add_run, add_trace, add_report, add_sim, add_advise, add_explain, add_check,
#ifdef WEIR_VERB_BENCH
      add_bench_demos,
#endif
  };
  handle_interrupts();
  convert_traces_with(trace_converter());
  return run_program(argc, argv, verbs);
}

}  // namespace
}  // namespace weir::tool

int main(int argc, char** argv) { return weir::tool::run(argc, argv); }
