// SPDX-License-Identifier: Apache-2.0

// A command line with made-up verbs, run in the process: what it prints, and its exit status.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "json.hpp"
#include "program.hpp"
#include "weir/error.hpp"

namespace weir::tool::test {

inline void add_boat(CLI::App& app, Global& global) {
  auto length = std::make_shared<int>(12);
  auto masts = std::make_shared<int>(1);
  auto rig = std::make_shared<std::string>("sloop");
  auto draught = std::make_shared<double>(1.5);
  CLI::App& verb = add_verb(app, global,
                            {.name = "boat",
                             .purpose = "show a boat",
                             .text = "First paragraph of the text.\n\nSecond paragraph.\n\n  kept   as it is",
                             .examples = {{"weir boat --length 7", "a small one"}}},
                            [length, rig, masts, draught](Global& all) -> int {
                              if (*length > 100) throw Error("no such harbour");
                              if (*length == 99) return fail("the harbour is full", kUsage);
                              all.print("boat of {} m, {} workers\n", *length, all.options.workers);
                              all.add({{"length_m", *length}, {"workers", all.options.workers}});
                              return *length == 13 ? kFailed : kDone;
                            });
  add_option(verb, "-l,--length", *length, "length in metres").between(1, 200);
  add_option(verb, "--masts", *masts, "number of masts");
  add_option(verb, "--draught", *draught, "metres under water").between(0.25, 4.5);
  add_option(verb, "--rig", *rig, "sails").among({"sloop", "ketch", "yawl"});
  add_runtime_options(verb, global);
}

inline void add_fleet(CLI::App& app, Global& global) {
  CLI::App& fleet = add_verb(app, global, {.name = "fleet", .purpose = "many boats", .text = "", .examples = {}}, {});
  add_verb(fleet, global, {.name = "count", .purpose = "count them", .text = "", .examples = {}},
           [](Global& all) -> int {
             all.print("3\n");
             return kDone;
           });
}

struct Outcome {
  int status;
  std::string out;
  std::string error;
};

inline Outcome weir(std::initializer_list<const char*> arguments) {
  std::vector<const char*> argv{"weir"};
  argv.insert(argv.end(), arguments);
  const std::vector<AddVerb> verbs{add_boat, add_fleet};
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = run_program(static_cast<int>(argv.size()), argv.data(), verbs);
  std::fflush(stdout);
  return {status, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

}  // namespace weir::tool::test
