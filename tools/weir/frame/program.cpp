#include "program.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "completion.hpp"
#include "errors.hpp"
#include "help.hpp"
#include "manual.hpp"
#include "runtime/options.hpp"

namespace weir::tool {

namespace {

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

// A full disk must not look like success.
int finish(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  return fail("standard output cannot be written to");
}

int run_verb(const CLI::App& verb, Global& global) {
  const Entry& entry = global.entries.at(&verb);
  if (!entry.run) return fail(missing_verb(describe(verb, global)), kUsage);
  if (entry.reads_options) {
    if (auto status = fill_options(global); !status) return fail(status);
  }
  const int status = entry.run(global);
  global.progress("");
  if (global.json) fmt::print("{}\n", global.objects.dump(2));
  return finish(status);
}

// Of a verb that takes a program, takes off what follows the program: it is not ours. Returns what is left of argc.
int cut_program(int argc, const char* const* argv, const CLI::App& app, Global& global) {
  const auto verbs = app.get_subcommands([&](const CLI::App* verb) { return argc > 1 && verb->get_name() == argv[1]; });
  if (verbs.empty() || !global.entries.at(verbs.front()).takes_program) return argc;
  for (int i = 2; i < argc; ++i) {
    if (argv[i][0] == '-') continue;  // such verbs have flags only
    global.rest.assign(argv + i + 1, argv + argc);
    return i + 1;
  }
  return argc;
}

const CLI::App& chosen_verb(const CLI::App& app) {
  const auto below = app.get_subcommands();
  return below.empty() ? app : chosen_verb(*below.front());
}

int parse_and_run(int argc, const char* const* argv, std::span<const AddVerb> verbs) {
  Global global;
  CLI::App app;
  describe_program(app, global);
  for (const AddVerb add : verbs) add(app, global);
  add_completion(app, global);
  add_manual(app, global);
  try {
    app.parse(cut_program(argc, argv, app, global), argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", help_text(describe(chosen_verb(app), global), global.columns()));
    return finish(kDone);
  } catch (const CLI::CallForVersion&) {
    fmt::print("weir {}\n", WEIR_VERSION);
    return finish(kDone);
  } catch (const CLI::ParseError& error) {
    return fail(explain(error, chosen_verb(app), global), kUsage);
  }
  return run_verb(chosen_verb(app), global);
}

}  // namespace

int run_program(int argc, const char* const* argv, std::span<const AddVerb> verbs) {
  try {
    return parse_and_run(argc, argv, verbs);
  } catch (const std::bad_alloc&) {
    return fail("out of memory");
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

}  // namespace weir::tool
