// SPDX-License-Identifier: Apache-2.0

#include "program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "arguments.hpp"
#include "completion.hpp"
#include "converted_trace.hpp"
#include "errors.hpp"
#include "help.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "manual.hpp"
#include "runtime/check_options.hpp"
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

int end_verb(int status, Global& global) {
  global.progress("");
  const bool has_said = status == kDone || !global.objects->empty() || global.may_find_nothing;
  if (global.json && has_said) Global::write(json_text(*global.objects, 2) + "\n");
  const int finished = finish(status);
  if (global.ended_by != 0) end_by(global.ended_by);
  return finished;
}

int run_and_convert(const Entry& entry, const ConvertedTrace& trace, Global& global) {
  const int status = entry.run(global);
  const auto whole = trace.finish();
  if (!whole) {
    const int failed = fail(whole.status());
    return status != kDone ? status : failed;
  }
  if (*whole || status != kDone) return status;
  return fail(
      fmt::format("trace {}: not whole: its folder had no room for more, or the program has ended by _exit() "
                  "while a runtime lived",
                  global.trace_as));
}

int run_verb(const CLI::App& verb, Global& global) {
  const Entry& entry = global.entries.at(&verb);
  const VerbText text = describe(verb, global);
  if (const std::string mistake = empty_value(text); !mistake.empty()) return fail(mistake, kUsage);
  if (!entry.run) return fail(missing_verb(text), kUsage);
  if (entry.reads_options) {
    if (auto status = fill_options(global); !status) return fail(status);
    if (text.has_runtime_options()) {
      auto converted = ConvertedTrace::begin(global);
      if (!converted) return fail(converted.status().message, kUsage);
      if (auto status = runtime::check_options(global.options); !status) return fail(status.message, kUsage);
      return end_verb(run_and_convert(entry, *converted, global), global);
    }
  }
  return end_verb(entry.run(global), global);
}

const CLI::App& chosen_verb(const CLI::App& app) {
  const auto below = app.get_subcommands();
  return below.empty() ? app : chosen_verb(*below.front());
}

// A flag with a value, --json=3, would be taken for the flag.
void refuse_values_of_flags(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) const_cast<CLI::Option*>(option)->disable_flag_override();
  }
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; }))
    refuse_values_of_flags(*below);
}

void parse(const Arguments& arguments, CLI::App& app) {
  std::vector<std::string> backwards(arguments.ours.rbegin(), arguments.ours.rend());  // as CLI11 wants them
  app.parse(std::move(backwards));
}

int parse_and_run(int argc, const char* const* argv, std::span<const AddVerb> verbs) {
  Global global;
  global.words.assign(argv + (argc > 0 ? 1 : 0), argv + argc);
  CLI::App app;
  describe_program(app, global);
  for (const AddVerb add : verbs) add(app, global);
  add_completion(app, global);
  add_help(app, global);
  add_manual(app, global);
  refuse_values_of_flags(app);
  Arguments arguments = arrange(argc, argv, app, global);
  global.rest = arguments.rest;
  if (!arguments.mistake.empty()) return fail(arguments.mistake, kUsage);
  try {
    parse(arguments, app);
  } catch (const CLI::CallForHelp&) {
    Global::write(help_text(describe(chosen_verb(app), global), global.columns()));
    return finish(kDone);
  } catch (const CLI::CallForVersion&) {
    Global::write(fmt::format("weir {}\n", WEIR_VERSION));
    return finish(kDone);
  } catch (const CLI::ParseError& error) {
    return fail(explain(error, chosen_verb(app), global), kUsage);
  }
  return run_verb(chosen_verb(app), global);
}

}  // namespace

namespace {

// Of the three that every program has those that are closed: else a file that is opened would be taken for one, and
// what is said be written into it. To standard output one cannot write then, which is told as on a full disk.
void open_standard_files() {
  constexpr int kModes[] = {O_RDONLY, O_RDONLY, O_WRONLY};
  for (int fd = 0; fd < 3; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    const int opened = open("/dev/null", kModes[fd]);  // the lowest number that is free
    if (opened >= 0 && opened != fd) close(opened);
  }
}

}  // namespace

int run_program(int argc, const char* const* argv, std::span<const AddVerb> verbs) {
  open_standard_files();
  try {
    return parse_and_run(argc, argv, verbs);
  } catch (const std::bad_alloc&) {
    return fail("out of memory");
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

}  // namespace weir::tool
