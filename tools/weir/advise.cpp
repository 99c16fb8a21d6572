// SPDX-License-Identifier: Apache-2.0

// weir advise: which memory mode, strategy, binding and number of workers a program is best run with, and why.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "adviser.hpp"
#include "base/result.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

using base::Code;
using base::Status;

Status check(const AdviseSettings& settings, const Global& global) {
  const auto refuse = [](const char* why) { return Status{Code::bad_option, why}; };
  if (!settings.program.empty() && !settings.trace.empty())
    return refuse("a program or --trace FILE, not both: a trace is of a run that has been");
  if (settings.trial && settings.program.empty()) return refuse("--try runs a program: name it");
  if (settings.trial && !settings.machine.machine.empty())
    return refuse("--try runs on this machine, and --machine is another: leave one of them out");
  if (!settings.machine.traced_machine.empty() && settings.trace.empty())
    return refuse("--traced-machine is for --trace FILE: a program that is run here is traced here");
  if (settings.program.empty() && settings.trace.empty() && !global.overrides.empty())
    return refuse("options of the runtime are for a program, or for --trace FILE");
  return Status::success();
}

int run_advise(const AdviseSettings& settings, Global& global) {
  if (const Status status = check(settings, global); !status) return fail(status);
  return advise_on(settings, global);
}

std::string advise_text() {
  return fmt::format(
      R"(Says which memory mode, tiers, allocation mode, strategy, policy, binding and number of workers PROGRAM is best run with on this machine, and why, with the figures behind each line: what each kind of memory gives, what the program's tasks use, and how long it is predicted to take with each choice.

PROGRAM is run with a trace (twice where its blocks have several tiers: with strategy ahead and with off), and the settings are ranked by the simulation of weir sim, not by rules of thumb. With --trace FILE nothing is run. What is said on the command line, as --tiers or --strategy, stays as it is, and the rest is advised for it. What PROGRAM prints in the first run goes to standard error, and is not shown of others. Each run reads the same standard input, a file or a pipe; a terminal is read by none.

With --try the settings that are predicted to be best, and the best of each strategy, are run in turns, and the one that won is advised.

A program that does not use Weir makes no trace: it is advised by the most memory and threads that it had, and by what each memory node gives, where weir run --memory is to put it.

Without a program it is the machine that is looked at: what each memory mode would take, and what it gives.

{}

With --json, each object has a key "object": machine, program, mode, choice, prediction, memory, trial, and last advice, which has the command.)",
      machine_names());
}

}  // namespace

void add_advise(CLI::App& app, Global& global) {
  auto settings = std::make_shared<AdviseSettings>();
  CLI::App& verb =
      add_verb(app, global,
               {.name = "advise",
                .purpose = "say how a program is best run here, or on another machine, and why",
                .text = advise_text(),
                .examples = {{"weir advise ./solver --size 64", "run it once or twice, and say how it is best run"},
                             {"weir advise --try ./solver", "and run what is close, to see which wins"},
                             {"weir advise --trace t.weir --machine xeon-max-flat", "on a machine that is not there"},
                             {"weir advise --tiers memory=1GiB,emulated=8GiB@0.25 ./solver", "with these tiers"},
                             {"weir advise", "this machine's memory modes"},
                             {"weir advise --trace t.weir --json | jq -r '.[-1].command'", "for programs"}}},
               [settings](Global& g) { return run_advise(*settings, g); });
  global.entries.at(&verb).takes_program = true;
  add_option(verb, "program", settings->program, "the program, and after it its arguments").type_name("PROGRAM");
  add_option(verb, "--trace", settings->trace, "a traced run instead of a program: the file of weir run --trace")
      .type_name("FILE");
  add_machine_options(verb, settings->machine, "advise for this one; default this machine");
  add_flag(verb, "--try", settings->trial, "run the settings that are predicted to be best, and say which won");
  add_option(verb, "--rounds", settings->rounds, "with --try: runs of each setting, in turns")
      .type_name("N")
      .between(1, 1000);
  add_option(verb, "--most", settings->most, "with --try: settings that are run, the advised one first")
      .type_name("N")
      .between(1, 1000);
  add_runtime_options(verb, global,
                      {"machine", "io", "checkpoint", "checkpoint_every", "restart", "rank_copies", "trace", "explain",
                       "explain_after", "island_memory", "island_heap", "island_segment", "island_nodes",
                       "island_controllers", "island_stripe", "island_seed"});
  global.entries.at(&verb).reads_options = false;  // the program reads its own
}

}  // namespace weir::tool
