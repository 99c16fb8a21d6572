// weir: reads the command line, runs one verb, prints its JSON array, and turns every failure into one line.
#include <cstdio>
#include <exception>
#include <new>

#include "completion.hpp"
#include "errors.hpp"
#include "help.hpp"
#include "interrupt.hpp"
#include "manual.hpp"
#include "runtime/options.hpp"
#include "verb.hpp"
#include "weir/error.hpp"

namespace weir::tool {

void add_topo(CLI::App& app, Global& global);
void add_stream(CLI::App& app, Global& global);
void add_run(CLI::App& app, Global& global);
void add_bench(CLI::App& app, Global& global);

namespace {

void add_verbs(CLI::App& app, Global& global) {
#ifdef WEIR_VERB_TOPO
  add_topo(app, global);
#endif
#ifdef WEIR_VERB_STREAM
  add_stream(app, global);
#endif
#ifdef WEIR_VERB_RUN
  add_run(app, global);
#endif
#ifdef WEIR_VERB_BENCH
  add_bench(app, global);
#endif
  add_completion(app, global);
  add_manual(app, global);
}

// The environment, then the command line.
base::Status fill_options(Global& global) {
  auto options = runtime::options_from(runtime::environment());
  if (!options) return options.status();
  for (const auto& [name, value] : global.overrides) {
    if (auto status = runtime::set_option(*options, name, value, "--" + runtime::dashed(name)); !status) return status;
  }
  global.options = *options;
  return base::Status::success();
}

int run_verb(const CLI::App& verb, Global& global) {
  const Entry& entry = global.entries.at(&verb);
  if (!entry.run) return fail(missing_verb(describe(verb, global)), kUsage);
  if (!entry.hidden) {
    if (auto status = fill_options(global); !status) return fail(status);
  }
  const int status = entry.run(global);
  global.progress("");
  if (global.json) fmt::print("{}\n", global.objects.dump(2));
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return fail("standard output cannot be written to");
  return status;
}

const CLI::App& chosen_verb(const CLI::App& app) {
  const auto below = app.get_subcommands();
  return below.empty() ? app : chosen_verb(*below.front());
}

int run(int argc, char** argv) {
  Global global;
  CLI::App app;
  describe_program(app, global);
  add_verbs(app, global);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", help_text(describe(chosen_verb(app), global), global.columns()));
    return kDone;
  } catch (const CLI::CallForVersion&) {
    fmt::print("weir {}\n", WEIR_VERSION);
    return kDone;
  } catch (const CLI::ParseError& error) {
    return fail(explain(error, chosen_verb(app), global), kUsage);
  }
  return run_verb(chosen_verb(app), global);
}

}  // namespace
}  // namespace weir::tool

int main(int argc, char** argv) {
  try {
    weir::tool::handle_interrupts();
    return weir::tool::run(argc, argv);
  } catch (const std::bad_alloc&) {
    return weir::tool::fail("out of memory");
  } catch (const std::exception& error) {
    return weir::tool::fail(error.what());
  }
}
