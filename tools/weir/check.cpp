// SPDX-License-Identifier: Apache-2.0

// weir check: runs a program with only the footprint of each task accessible.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/decode.hpp"
#include "check/render.hpp"
#include "check/session.hpp"
#include "json.hpp"
#include "print_error.hpp"
#include "runtime/check_options.hpp"
#include "shmem/processes.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

struct CheckSettings {
  bool stop = false;
  bool no_advice = false;
  bool exact = false;
  int ranks = 0;  // 0: one process that is no rank
  std::string program;
};

std::string count(std::uint64_t number, const char* one, const char* many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

std::string found(const check::Outcome& outcome, const CheckSettings& settings) {
  const std::uint64_t mistakes = outcome.findings - outcome.advice;
  std::string text;
  if (mistakes != 0) text = count(mistakes, "mistake", "mistakes") + " found";
  if (mistakes != 0 && outcome.repetitions != 0)
    text += ", made " + count(outcome.repetitions, "more time", "more times");
  if (outcome.advice != 0 && !settings.no_advice)
    text += (text.empty() ? "" : "; ") + count(outcome.advice, "piece of advice", "pieces of advice");
  return text.empty() ? "nothing found" : text;
}

// What was not judged, and how to have it judged.
std::string left_out(const check::Outcome& outcome) {
  std::string text;
  if (outcome.in_part != 0)
    text += fmt::format("; of {}, only a part of the accesses was judged: --exact judges all",
                        count(outcome.in_part, "task", "tasks"));
  if (outcome.parts_free != 0)
    text += fmt::format("; of {} parts outside of tasks, nothing was judged: no footprint names what they touch",
                        outcome.parts_free);
  return text;
}

std::string summary(const check::Outcome& outcome, const CheckSettings& settings) {
  if (outcome.stopped) return "weir check: stopped at the first finding";
  if (outcome.signal != 0)
    return fmt::format("weir check: the program was ended by signal {} ({}); until then {}", outcome.signal,
                       strsignal(outcome.signal), found(outcome, settings));
  std::string what = count(outcome.tasks, "task", "tasks");
  if (outcome.parts != 0) what += fmt::format(" and {} parts of fork_join() and loops", outcome.parts);
  return fmt::format("weir check: {}: {}{}", what, found(outcome, settings), left_out(outcome));
}

int verdict(const check::Outcome& outcome, const CheckSettings& settings) {
  if (outcome.processes == 0 && outcome.signal == 0)
    return fail(fmt::format("check: nothing was checked: the program has made no runtime of this version of Weir{}",
                            outcome.status == 0 ? "" : fmt::format(", and ended with status {}", outcome.status)),
                kUsage);
  const std::uint64_t failures = settings.no_advice ? outcome.findings - outcome.advice : outcome.findings;
  if (failures != 0 && !outcome.interrupted) return kFailed;
  return outcome.status;
}

// The loop of a shell in which we run stops at Ctrl-C when that has ended us, too.
int ending_signal(const check::Outcome& outcome) {
  return outcome.interrupted && outcome.signal == SIGKILL ? SIGINT : outcome.signal;
}

// What it is about, up to the end of the first line.
std::string with_colour(const std::string& finding, bool is_advice) {
  const Style style = terminal_style(STDERR_FILENO);
  const std::size_t end = finding.find('\n');
  const std::string head = finding.substr(0, end);
  return (is_advice ? style.warning(head) : style.bad(head)) + finding.substr(end);
}

// What the program's runtime would refuse, before there is one. Of these options the command line has none: they are
// those of the environment.
base::Status check_environment(const Global& global) {
  Options options = global.options;
  options.trace.clear();  // checked programs are not traced
  if (!options.checkpoint.empty() || !options.restart.empty()) {
    return {base::Code::bad_option,
            "weir check watches a whole run: leave out checkpoints (WEIR_CHECKPOINT, WEIR_RESTART)"};
  }
  return runtime::check_options(options);
}

// One process, or what starts the ranks and passes on what they print, line by line.
std::vector<std::string> words_of(const CheckSettings& settings, const Global& global) {
  std::vector<std::string> words{settings.program};
  if (settings.ranks > 0) words = {"/proc/self/exe", "run", "-n", std::to_string(settings.ranks), settings.program};
  words.insert(words.end(), global.rest.begin(), global.rest.end());
  return words;
}

std::string with_rank(std::string text, int rank) {
  constexpr std::string_view kBefore = "weir check: ";
  return rank < 0 ? text : text.insert(kBefore.size(), fmt::format("rank {}: ", rank));
}

int run_check(const CheckSettings& settings, Global& global) {
  if (const base::Status status = check_environment(global); !status) return fail(status.message, kUsage);
  if (!check::can_decode())
    return fail("check: it needs x86-64: what tasks touch cannot be seen on this processor", kUsage);
  const std::vector<std::string> program = words_of(settings, global);
  std::fflush(stdout);
  std::set<std::string> told;
  int described = -1;  // the process whose symbols are known: most programs are one
  int rank = -1;       // that it is
  std::unique_ptr<check::Symbols> symbols;
  const auto hear = [&](const weir::checker::Finding& finding, int pid) {
    if (settings.no_advice && check::is_advice(finding.kind)) return check::Heard::news;
    if (std::exchange(described, pid) != pid) {
      symbols = std::make_unique<check::Symbols>(pid);
      const auto process = rank_of(pid);
      rank = process ? static_cast<int>(process->rank) : -1;
    }
    if (!told.insert(check::identity(finding, *symbols)).second) return check::Heard::again;
    if (!global.json)
      print_error("{}", with_colour(with_rank(check::render(finding, *symbols), rank), check::is_advice(finding.kind)));
    Json object = check::to_json(finding, *symbols);
    if (rank >= 0) object["rank"] = rank;
    global.add(std::move(object));
    return settings.stop ? check::Heard::stop : check::Heard::news;
  };
  const auto outcome = check::run_checked(program, {global.json, settings.exact}, hear);
  if (!outcome) return fail(outcome.status().message, kUsage);
  if (!outcome->all_calls_seen && outcome->processes != 0)
    print_error(
        "weir check: system calls on memory of other tasks may have failed with EFAULT: this needs "
        "Linux 5.11 (syscall user dispatch)\n");
  if (outcome->unseen != 0)
    print_error(
        "weir check: note: {}, other threads of the program were in system calls on memory that tasks use: what "
        "the running task touched there during that time was not seen\n",
        outcome->unseen == 1 ? "once" : fmt::format("{} times", outcome->unseen));
  if (!global.json && (outcome->processes != 0 || outcome->signal != 0))
    print_error("{}\n", terminal_style(STDERR_FILENO).heading(summary(*outcome, settings)));
  global.may_find_nothing = outcome->processes != 0;
  const int status = verdict(*outcome, settings);
  if (status == outcome->status) global.ended_by = ending_signal(*outcome);
  return status;
}

constexpr const char* kCheckText =
    R"(Runs PROGRAM with its arguments and, while a task runs, makes only the memory of its footprint accessible, with the rights that it has declared. Works for every program that uses Weir, C++ or OCR, as it is; compile it with -g for source lines. What is found, on standard error:

  undeclared   a task touches memory that another task or block names,
               and its own footprint does not
  wrong mode   it writes what it has as in
  read first   it reads what it has as out, or a data block that it has
               made, before it has written it
  beyond       it runs over the end of a block
  released     it touches a block that was released or destroyed
  outside      the program touches a block outside of tasks, or a thread
               of its own one that the running task may not
  unordered    two tasks, or two parts of a fork_join() or loop, touch the
               same bytes, one of them writes, and nothing orders them,
               whenever they happen to run
  untouched    an item of a footprint that none of the tasks spawned there
               has touched: advice, for the results are right

Tasks run one after the other, and each access outside of open pages costs some microseconds: use small inputs; of tasks like many before only a part is judged, which the last line says, and --exact judges all. Calls of the C library's functions on memory and strings are judged by their arguments. docs/checking.md says what is seen exactly and what is not.

With -n the program is checked as the ranks of a job (docs/ranks.md); so it is when PROGRAM is an mpirun on this machine. A mistake that several ranks make is reported once, with the first of them.

Exit status: 1 when anything was found; 2 when nothing was checked; otherwise that of PROGRAM; a signal that has ended it, Ctrl-C among them, ends weir check in the same way, which a shell shows as 128 and more.)";

}  // namespace

void add_check(CLI::App& app, Global& global) {
  auto settings = std::make_shared<CheckSettings>();
  CLI::App& verb = add_verb(app, global,
                            {.name = "check",
                             .purpose = "run a program so that each task can touch its footprint only",
                             .text = kCheckText,
                             .examples = {{"weir check ./program --size 64", "go on after each finding"},
                                          {"weir check --stop ./program", "end the program at the first"},
                                          {"weir check -n 2 ./program", "each rank of a job of two"},
                                          {"weir check --json ./program | jq '.[].at'", "for programs"}}},
                            [settings](Global& g) { return run_check(*settings, g); });
  add_flag(verb, "--stop", settings->stop, "end the program at the first finding instead of going on");
  add_flag(verb, "--exact", settings->exact, "judge every access of every task, however many there were before");
  add_flag(verb, "--no-advice", settings->no_advice, "leave out what no task touches (untouched)");
  add_option(verb, "program", settings->program, "the program, and after it its arguments")
      .required()
      .type_name("PROGRAM");
  add_option(verb, "-n,--ranks", settings->ranks,
             "check PROGRAM as the N ranks of a job on this machine; a finding names the rank")
      .type_name("N")
      .default_str("")
      .between(1, 4096);
  global.entries.at(&verb).takes_program = true;
}

}  // namespace weir::tool
