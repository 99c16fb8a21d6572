// SPDX-License-Identifier: Apache-2.0

// weir explain: what the tasks of a running process wait for, and the PEs of a SHMEM job.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/one_line.hpp"
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

// What is not set in is a title: of a runtime, or of what is at the root of it. Another process has written it.
void print_answer(const std::string& answer, Global& global) {
  std::istringstream lines(answer);
  for (std::string line; std::getline(lines, line);) {
    line = base::one_line(line);
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

// A runtime's answer. `job`, `rank`: which it is of; none: it is of none.
base::Status show_reply(const std::string& reply, pid_t process, const RankJob* job, const RankProcess* rank,
                        Global& global) {
  if (!global.json) {
    if (rank != nullptr) global.print_heading("rank {} of {}:\n", rank->rank, rank->ranks);
    print_answer(reply, global);
    return base::Status::success();
  }
  Json runtimes = Json::parse(reply, nullptr, false);
  if (!runtimes.is_array())
    return {base::Code::io_error, fmt::format("process {} answered something else than JSON: {}", process, reply)};
  for (Json& runtime : runtimes) {
    if (rank != nullptr) runtime["rank"] = rank->rank;
    if (job != nullptr) runtime["job"] = job->name;
    global.add(std::move(runtime));
  }
  return base::Status::success();
}

base::Status show_replies(const std::vector<std::string>& replies, pid_t process, const RankJob* job,
                          const RankProcess* rank, Global& global) {
  for (const std::string& reply : replies)
    if (base::Status shown = show_reply(reply, process, job, rank, global); !shown) return shown;
  return base::Status::success();
}

// All ranks of the job on this host, one after the other. One that does not answer does not keep the others from it;
// what has no runtime is a process that a rank has started, or has not begun. None: no rank has one now.
std::optional<int> explain_ranks(const RankJob& job, const ExplainSettings& settings, Global& global) {
  int status = kDone;
  std::set<std::uint32_t> told;
  for (const RankProcess& rank : job.ranks) {
    const auto reply = explain::ask(rank.process, global.json ? "json" : "text", settings.seconds);
    if (!reply && reply.status().code == base::Code::not_found) continue;
    const base::Status shown = reply ? show_replies(*reply, rank.process, &job, &rank, global) : reply.status();
    if (!shown) status = fail(fmt::format("rank {}: {}", rank.rank, shown.message));
    told.insert(rank.rank);
  }
  if (told.empty()) return std::nullopt;
  const std::uint32_t all = job.ranks.front().ranks;
  if (told.size() < all)
    global.print("{} of {} ranks have no runtime on this host: ask on theirs\n", all - told.size(), all);
  return status;
}

int explain_rank_jobs(const std::vector<RankJob>& jobs, const ExplainSettings& settings, Global& global) {
  std::optional<int> worst;
  for (const RankJob& job : jobs) {
    if (jobs.size() > 1) global.print_heading("job {}, of {} ranks:\n", job.name, job.ranks.front().ranks);
    const auto status = explain_ranks(job, settings, global);
    if (status) worst = std::max(worst.value_or(kDone), *status);
  }
  if (worst) return *worst;
  return fail(fmt::format("no rank of the job of process {} has a runtime now", settings.process));
}

// Of what has started programs, as weir run and weir check do: all that answer. None: no one does.
std::optional<int> explain_started(const ExplainSettings& settings, Global& global) {
  std::optional<int> worst;
  for (const pid_t process : family_of(settings.process)) {
    if (process == settings.process) continue;
    const auto reply = explain::ask(process, global.json ? "json" : "text", settings.seconds);
    if (!reply && reply.status().code == base::Code::not_found) continue;
    if (reply) global.print_heading("process {}, which process {} has started:\n", process, settings.process);
    const base::Status shown = reply ? show_replies(*reply, process, nullptr, nullptr, global) : reply.status();
    worst = std::max(worst.value_or(kDone), shown ? kDone : fail(shown));
  }
  return worst;
}

int explain(const ExplainSettings& settings, Global& global) {
  const auto jobs = jobs_of(settings.process);
  if (!jobs) return fail(jobs.status());
  show_jobs(*jobs, global);
  if (!jobs->empty() && is_stopped(settings.process)) return kDone;
  if (jobs->empty()) {
    if (const auto ranks = rank_jobs_of(settings.process); !ranks.empty())
      return explain_rank_jobs(ranks, settings, global);
  }
  const auto reply = explain::ask(settings.process, global.json ? "json" : "text", settings.seconds);
  if (!reply && !jobs->empty() && reply.status().code == base::Code::not_found) return kDone;
  if (!reply && reply.status().code == base::Code::not_found && state_of(settings.process) != '\0') {
    if (const auto started = explain_started(settings, global)) return *started;
    return fail(
        reply.status().message +
        ". Nor is it a PE of a SHMEM job or a rank, or what has started one, while these have a runtime, or are "
        "between shmem_init and shmem_finalize");
  }
  if (!reply) return fail(reply.status());
  const base::Status shown = show_replies(*reply, settings.process, nullptr, nullptr, global);
  return shown ? kDone : fail(shown);
}

constexpr const char* kExplainText =
    R"(Asks a process that uses Weir, C++ or OCR, what is left to do in each of its runtimes: which tasks run, and since when; which are ready; which wait, for what (a task that comes before, their children, room or a block in a tier, commutative data and who has it, an event), where in the program they were spawned; what is at the root of it, with the number of tasks that wait for it; and a cycle of tasks that wait for each other, if there is one.

Of a PE of a SHMEM program, or of what has started it (weir run -n, mpirun): for each PE of the job on this host in which call it waits, since when and on what, who waits for whom, who is at the root of it, and which have left or are lost. That is read from memory that the PEs share, so also of processes that hang or are stopped. A runtime in the PE is told, too.

Of a rank of a job, or of what has started it: all ranks on this host, one after the other, those of several jobs job by job; what waits for another rank waits for a task that receives from it, with the tile.

A runtime answers by a thread of its own, also when all its tasks hang. The process must be your own, or you root. Lines of source are found where the program has debug information (-g) and addr2line is installed.

A process does the same without being asked, on standard error: on SIGUSR1, unless it has a use for that, and when nothing has run for --explain-after seconds though tasks are left (WEIR_EXPLAIN_AFTER). WEIR_EXPLAIN=off turns all of it off.)";

}  // namespace

void add_explain(CLI::App& app, Global& global) {
  auto settings = std::make_shared<ExplainSettings>();
  CLI::App& verb = add_verb(app, global,
                            {.name = "explain",
                             .purpose = "say what the tasks, ranks or PEs of a running program wait for",
                             .text = kExplainText,
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
