// weir: the list of verbs.
#include <vector>

#include "interrupt.hpp"
#include "program.hpp"

namespace weir::tool {

void add_topo(CLI::App& app, Global& global);
void add_stream(CLI::App& app, Global& global);
void add_run(CLI::App& app, Global& global);
void add_bench(CLI::App& app, Global& global);

namespace {

int run(int argc, char** argv) {
  const std::vector<AddVerb> verbs = {
#ifdef WEIR_VERB_TOPO
      add_topo,
#endif
#ifdef WEIR_VERB_STREAM
      add_stream,
#endif
#ifdef WEIR_VERB_RUN
      add_run,
#endif
#ifdef WEIR_VERB_BENCH
      add_bench,
#endif
  };
  handle_interrupts();
  return run_program(argc, argv, verbs);
}

}  // namespace
}  // namespace weir::tool

int main(int argc, char** argv) { return weir::tool::run(argc, argv); }
