// SPDX-License-Identifier: Apache-2.0

// weir explain: what the tasks of a running process wait for.
#include <fmt/format.h>

#include <memory>
#include <sstream>
#include <string>

#include "explain/socket.hpp"
#include "json.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

struct ExplainSettings {
  int process = 0;
  double seconds = 30;
};

// What is not set in is a title: of a runtime, or of what is at the root of it.
void print_answer(const std::string& answer, Global& global) {
  std::istringstream lines(answer);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(" ")) {
      global.print("{}\n", line);
    } else {
      global.print_heading("{}\n", line);
    }
  }
}

int explain(const ExplainSettings& settings, Global& global) {
  const auto reply = explain::ask(settings.process, global.json ? "json" : "text", settings.seconds);
  if (!reply) return fail(reply.status());
  if (!global.json) {
    print_answer(*reply, global);
    return kDone;
  }
  Json runtimes = Json::parse(*reply, nullptr, false);
  if (!runtimes.is_array())
    return fail(fmt::format("process {} answered something else than JSON: {}", settings.process, *reply));
  for (Json& runtime : runtimes) global.add(std::move(runtime));
  return kDone;
}

constexpr const char* kText =
    R"(Asks a process that uses Weir, C++ or OCR, what is left to do in each of its runtimes: which tasks run, and since when; which are ready; which wait, for what (a task that comes before, their children, room or a block in a tier, commutative data and who has it, an event), where in the program they were spawned; what is at the root of it, with the number of tasks that wait for it; and a cycle of tasks that wait for each other, if there is one.

The process answers by a thread of its own, also when all its tasks hang. It must be your own, or you root. Lines of source are found where the program has debug information (-g) and addr2line is installed.

A process does the same without being asked, on standard error: on SIGUSR1, unless it has a use for that, and when nothing has run for --explain-after seconds though tasks are left (WEIR_EXPLAIN_AFTER). WEIR_EXPLAIN=off turns all of it off.)";

}  // namespace

void add_explain(CLI::App& app, Global& global) {
  auto settings = std::make_shared<ExplainSettings>();
  CLI::App& verb = add_verb(app, global,
                            {.name = "explain",
                             .purpose = "say what the tasks of a running process wait for",
                             .text = kText,
                             .examples = {{"weir explain $(pgrep -n solver)", "the newest process of that name"},
                                          {"weir explain 4711 --json | jq '.[].cycle'", "for programs"}}},
                            [settings](Global& g) { return explain(*settings, g); });
  add_option(verb, "pid", settings->process, "number of the process")
      .required()
      .default_str("")
      .type_name("PID")
      .between(1, 1 << 30);
  add_option(verb, "--timeout", settings->seconds, "how long to wait for the answer, in seconds; default 30")
      .type_name("SECONDS")
      .between(0.1, 86400.0);
}

}  // namespace weir::tool
