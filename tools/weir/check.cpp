// weir check: runs a program with only the footprint of each task accessible.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "check/render.hpp"
#include "check/session.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

struct CheckSettings {
  bool stop = false;
  std::string program;
};

std::string summary(const check::Outcome& outcome) {
  if (outcome.stopped) return "weir check: stopped at the first mistake";
  std::string text = fmt::format("weir check: {} task{}", outcome.tasks, outcome.tasks == 1 ? "" : "s");
  if (outcome.findings == 0) return text + ": nothing found";
  text += fmt::format(": {} mistake{} found", outcome.findings, outcome.findings == 1 ? "" : "s");
  if (outcome.repetitions != 0)
    text += fmt::format(", made {} more time{}", outcome.repetitions, outcome.repetitions == 1 ? "" : "s");
  return text;
}

int verdict(const check::Outcome& outcome) {
  if (outcome.processes == 0 && outcome.status == 0)
    return fail("check: nothing was checked: the program has made no runtime of this version of Weir");
  if (outcome.findings != 0) return kFailed;
  return outcome.status;
}

int run_check(const CheckSettings& settings, Global& global) {
  std::vector<std::string> program{settings.program};
  program.insert(program.end(), global.rest.begin(), global.rest.end());
  std::fflush(stdout);
  const auto outcome = check::run_checked(program, global.json, [&](const weir::check::Finding& finding, int pid) {
    check::Symbols symbols(pid);
    if (!global.json) fmt::print(stderr, "{}", check::render(finding, symbols));
    global.add(check::to_json(finding, symbols));
    return !settings.stop;
  });
  if (!outcome) return fail(outcome.status());
  if (!outcome->all_calls_seen && outcome->processes != 0)
    fmt::print(stderr,
               "weir check: system calls on memory of other tasks may have failed with EFAULT: this needs "
               "Linux 5.11 (syscall user dispatch)\n");
  if (!global.json && outcome->processes != 0) fmt::print(stderr, "{}\n", summary(*outcome));
  return verdict(*outcome);
}

constexpr const char* kText =
    R"(Runs PROGRAM with its arguments and, while a task runs, makes only the memory of its footprint accessible, with the rights that it has declared. Works for every program that uses Weir, C++ or OCR, as it is; compile it with -g for source lines. What is found, on standard error:

  undeclared   a task touches memory that another task or block names,
               and its own footprint does not
  wrong mode   it writes what it has as in
  read first   it reads what it has as out before it has written it
  beyond       it runs over the end of a block
  released     it touches a block that was released or destroyed
  outside      the program touches a block outside of tasks
  unordered    two tasks touch the same bytes, one of them writes, and
               nothing orders them, whenever they happen to run
  untouched    an item of a footprint that none of the tasks spawned there
               has touched

Tasks run one after the other, and each access beside open pages costs some microseconds: use small inputs. docs/checking.md says what is seen exactly and what is not.

Exit status: 1 when anything was found; otherwise that of PROGRAM.)";

}  // namespace

void add_check(CLI::App& app, Global& global) {
  auto settings = std::make_shared<CheckSettings>();
  CLI::App& verb = add_verb(app, global,
                            {.name = "check",
                             .purpose = "run a program so that each task can touch its footprint only",
                             .text = kText,
                             .examples = {{"weir check ./program --size 64", "go on after each mistake"},
                                          {"weir check --stop ./program", "end the program at the first"},
                                          {"weir check --json ./program | jq '.[].at'", "for programs"}}},
                            [settings](Global& g) { return run_check(*settings, g); });
  verb.add_flag("--stop", settings->stop, "end the program at the first mistake instead of going on");
  verb.add_option("program", settings->program, "the program, and after it its arguments")
      ->required()
      ->type_name("PROGRAM");
  Entry& entry = global.entries.at(&verb);
  entry.reads_options = false;
  entry.takes_program = true;
}

}  // namespace weir::tool
