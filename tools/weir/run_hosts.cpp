// SPDX-License-Identifier: Apache-2.0

#include "run_hosts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "child.hpp"
#include "host_traces.hpp"
#include "hosts.hpp"
#include "json.hpp"
#include "runtime/options.hpp"

extern "C" char** environ;

namespace weir::tool {

namespace {

std::vector<std::string> passed_variables(const HostsJob& job) {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (const std::string_view name = text.substr(0, text.find('=')); launch::is_passed_on(name))
      names.emplace_back(name);
  }
  for (const auto& [name, value] : job.variables) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

base::Result<platform::Command> command_of(const HostsJob& job, const Hosts& hosts) {
  launch::MpiJob mpi;
  mpi.words = job.words;
  mpi.ranks = job.ranks;
  mpi.label = job.label;
  mpi.bind = job.bind;
  mpi.passed = passed_variables(job);
  auto command = hosts.job(std::move(mpi));
  if (command) command->variables = job.variables;
  return command;
}

// A job that was interrupted has failed, also where its mpirun says 0, as MPICH's does when its proxies end first.
int status_of(const ChildEnd& end) { return end.status == 0 && end.asked != 0 ? 128 + end.asked : end.status; }

int run_traced(HostsJob job, const Hosts& hosts, Global& global) {
  const HostTraces traces(global.options.trace);
  job.variables.emplace_back(runtime::variable("trace"), traces.there());
  auto command = command_of(job, hosts);
  if (!command) return fail(command.status());
  if (global.json) command->out = STDERR_FILENO;
  auto child = Child::start(*command);
  if (!child) return fail(child.status().message, kUsage);
  const ChildEnd end = child->wait();
  const int status = status_of(end);
  global.ended_by = end.signal;
  global.add(Json{{"program", job.words.front()},
                  {"arguments", global.rest},
                  {"ranks", job.ranks},
                  {"status", status},
                  {"seconds", end.seconds}});
  global.progress("bringing the traces of all hosts");
  const auto brought = traces.bring(hosts);
  global.progress("");
  if (!brought) {
    const int failed = fail(brought.status());
    return status != 0 ? status : failed;
  }
  if (brought->signal != 0) global.ended_by = brought->signal;
  if (brought->files > 0 || status != 0) return status;
  return fail(
      fmt::format("{} has made no PE of this version of Weir's OpenSHMEM, and no runtime in any rank: there is "
                  "nothing to trace",
                  job.words.front()));
}

}  // namespace

int run_on_hosts(const HostsJob& job, Global& global) {
  const auto hosts = Hosts::find(job.hosts, job.ranks);
  if (!hosts) return fail(hosts.status().message, kUsage);
  if (!global.options.trace.empty()) return run_traced(job, *hosts, global);
  const auto command = command_of(job, *hosts);
  if (!command) return fail(command.status());
  const base::Status failed = platform::become(*command);
  return fail(failed.message, kUsage);
}

}  // namespace weir::tool
