// SPDX-License-Identifier: Apache-2.0

// How a verb is added to the `weir` command line.
//
// A verb is one file with one function, `void add_<verb>(CLI::App& app, Global& global)`, listed in main.cpp:
//
//   void add_topo(CLI::App& app, Global& global) {
//     auto settings = std::make_shared<TopoSettings>();
//     CLI::App& verb = add_verb(app, global,
//         {.name = "topo",
//          .purpose = "show domains, memory nodes and tiers of this machine",
//          .text = "Paragraphs that teach: what is shown, in which units. An empty line starts a paragraph.",
//          .examples = {{"weir topo --json | jq .", "the same for programs"}}},
//         [settings](Global& global) { return show(*settings, global); });
//     add_option(verb, "--input", settings->input, "an hwloc synthetic string or XML file").type_name("MACHINE");
//     add_runtime_options(verb, global);  // --workers and the rest, when the verb starts a Runtime(global.options)
//   }
//
// A verb that only holds others (run, bench) is added without a function and is the `app` of those.
// Help, errors, manual and completion are made from this; every option has help text that says unit and default.
//
// Exit status: 0 done; 1 the run failed, or results disagree; 2 wrong usage. A verb returns it, returns fail(...), or
// throws weir::Error (1). All are one line on standard error that starts with "weir: ".
#pragma once

#include <initializer_list>
#include <string_view>

#include "base/result.hpp"
#include "global.hpp"
#include "option.hpp"

namespace weir::tool {

enum Exit : int { kDone = 0, kFailed = 1, kUsage = 2 };

// Adds a verb below `parent`, with --help, and --json when `run` is given. Options are added to what it returns,
// which lives as long as `parent`.
CLI::App& add_verb(CLI::App& parent, Global& global, Guide guide, Run run);

// Adds every option of weir::Options but those `without` (as in options.def), which the verb decides itself; what is
// given changes global.options before the verb runs.
void add_runtime_options(CLI::App& verb, Global& global, std::initializer_list<std::string_view> without = {});

// Prints "weir: <message>" on standard error, and returns the exit status: kUsage for Code::bad_option, else kFailed.
int fail(const base::Status& failure);
int fail(std::string_view message, Exit status = kFailed);

}  // namespace weir::tool
