// SPDX-License-Identifier: Apache-2.0

#include "verb.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/joined.hpp"
#include "base/one_line.hpp"
#include "describe.hpp"
#include "print_error.hpp"
#include "runtime/options.hpp"
#include "terminal.hpp"
#include "text.hpp"

namespace weir::tool {

namespace {

constexpr const char* kJsonHelp = "print one JSON array on standard output and nothing else there";

std::string value_name(const runtime::OptionInfo& info) {
  if (info.is_number()) return "N";
  if (!info.choices.empty()) return base::joined(info.choices, "|");
  return info.unit.empty() ? "TEXT" : capitals(info.unit);
}

}  // namespace

CLI::App& add_verb(CLI::App& parent, Global& global, Guide guide, Run run) {
  CLI::App& verb = *parent.add_subcommand(guide.name, guide.purpose);
  verb.option_defaults()->always_capture_default()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  verb.set_help_flag("-h,--help", "show this help");
  if (run) verb.add_flag("--json", global.json, kJsonHelp);
  global.entries[&verb] = {.guide = std::move(guide), .run = std::move(run)};
  return verb;
}

void add_runtime_options(CLI::App& verb, Global& global, std::initializer_list<std::string_view> without) {
  for (const runtime::OptionInfo& info : runtime::option_table()) {
    if (std::find(without.begin(), without.end(), info.name) != without.end()) continue;
    const auto keep = [&global, name = info.name](const std::string& value) {
      global.overrides.emplace_back(name, value);
    };
    verb.add_option_function<std::string>("--" + runtime::dashed(info.name), keep, info.help)
        ->type_name(value_name(info))
        ->default_str(info.initial)
        ->group(kRuntimeGroup);
  }
}

int fail(const base::Status& failure) {
  return fail(failure.message, failure.code == base::Code::bad_option ? kUsage : kFailed);
}

int fail(std::string_view message, Exit status) {
  clear_progress();
  std::fflush(stdout);
  print_error("{} {}\n", terminal_style(STDERR_FILENO).bad("weir:"), base::one_line(message));
  return status;
}

}  // namespace weir::tool
