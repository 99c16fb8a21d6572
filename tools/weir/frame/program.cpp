// SPDX-License-Identifier: Apache-2.0

#include "program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "completion.hpp"
#include "errors.hpp"
#include "help.hpp"
#include "interrupt.hpp"
#include "json.hpp"
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

// The name of an option that was given before the name of the verb, where it would be lost; or "".
std::string misplaced_option(const CLI::App& verb) {
  for (const CLI::App* above = verb.get_parent(); above != nullptr; above = above->get_parent()) {
    for (const CLI::Option* option : above->get_options()) {
      if (option->count() != 0) return option->get_name();
    }
  }
  return "";
}

int run_verb(const CLI::App& verb, Global& global) {
  const Entry& entry = global.entries.at(&verb);
  if (const std::string option = misplaced_option(verb); !option.empty()) {
    return fail(fmt::format("{} comes after the verb: {} {}", option, describe(verb, global).path, option), kUsage);
  }
  if (!entry.run) return fail(missing_verb(describe(verb, global)), kUsage);
  if (entry.reads_options) {
    if (auto status = fill_options(global); !status) return fail(status);
  }
  const int status = entry.run(global);
  global.progress("");
  if (global.json) fmt::print("{}\n", global.objects->dump(2));
  const int finished = finish(status);
  if (global.ended_by != 0) end_by(global.ended_by);
  return finished;
}

bool has_value_behind(const CLI::App& verb, const std::string& word) {
  const CLI::Option* const option = verb.get_option_no_throw(word);  // null: unknown, or with its value after a =
  return option != nullptr && option->get_items_expected_max() != 0;
}

// Of a verb that takes a program, takes off what follows the program: it is not ours. Returns what is left of argc.
int cut_program(int argc, const char* const* argv, const CLI::App& app, Global& global) {
  const auto verbs = app.get_subcommands([&](const CLI::App* verb) { return argc > 1 && verb->get_name() == argv[1]; });
  if (verbs.empty() || !global.entries.at(verbs.front()).takes_program) return argc;
  const CLI::App& verb = *verbs.front();
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") continue;
    if (word.starts_with("-")) {
      if (has_value_behind(verb, word)) ++i;
      continue;
    }
    if (!verb.get_subcommands([&](const CLI::App* below) { return below->get_name() == word; }).empty()) break;
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
