// SPDX-License-Identifier: Apache-2.0

// weir explain: what the tasks of a running process wait for, and the PEs of a SHMEM job.
#include <fmt/format.h>

#include <memory>
#include <sstream>
#include <string>

#include "explain/socket.hpp"
#include "json.hpp"
#include "shmem/job_text.hpp"
#include "shmem/job_view.hpp"
#include "shmem/processes.hpp"
#include "shmem/stand.hpp"
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

// The jobs that the process is of, or has started. Nothing is asked of it.
void show_jobs(const std::vector<JobView>& jobs, Global& global) {
  for (const JobView& job : jobs) {
    const Stand stand = stand_of(job);
    if (global.json) {
      global.add(object_of(job, stand));
    } else {
      print_answer(text_of(job, stand), global);
    }
  }
}

int explain(const ExplainSettings& settings, Global& global) {
  const auto jobs = jobs_of(settings.process);
  if (!jobs) return fail(jobs.status());
  show_jobs(*jobs, global);
  if (!jobs->empty() && is_stopped(settings.process)) return kDone;
  const auto reply = explain::ask(settings.process, global.json ? "json" : "text", settings.seconds);
  if (!reply && !jobs->empty() && reply.status().code == base::Code::not_found) return kDone;
  if (!reply && reply.status().code == base::Code::not_found && state_of(settings.process) != '\0') {
    return fail(reply.status().message +
                ". Nor is it a PE of a SHMEM job, or what has started one, between shmem_init and shmem_finalize");
  }
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

Of a PE of a SHMEM program, or of what has started it (weir run -n, mpirun): for each PE of the job on this host in which call it waits, since when and on what, who waits for whom, who is at the root of it, and which have left or are lost. That is read from memory that the PEs share, so also of processes that hang or are stopped. A runtime in the PE is told, too.

A runtime answers by a thread of its own, also when all its tasks hang. The process must be your own, or you root. Lines of source are found where the program has debug information (-g) and addr2line is installed.

A process does the same without being asked, on standard error: on SIGUSR1, unless it has a use for that, and when nothing has run for --explain-after seconds though tasks are left (WEIR_EXPLAIN_AFTER). WEIR_EXPLAIN=off turns all of it off.)";

}  // namespace

void add_explain(CLI::App& app, Global& global) {
  auto settings = std::make_shared<ExplainSettings>();
  CLI::App& verb = add_verb(app, global,
                            {.name = "explain",
                             .purpose = "say what the tasks or PEs of a running program wait for",
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
