// SPDX-License-Identifier: Apache-2.0

#include "run_hosts.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "launch/host_file.hpp"
#include "launch/mpi_starter.hpp"
#include "launch/rank_process.hpp"
#include "platform/file_io.hpp"
#include "platform/process.hpp"
#include "verb.hpp"

extern "C" char** environ;

namespace weir::tool {

namespace {

// A file without a name that the mpirun inherits, so that nothing is left behind; its path there. "": it cannot be
// made.
std::string keep(const std::string& text) {
  const int file = memfd_create("hosts", 0);
  if (file < 0 || platform::write_all(file, text.data(), text.size(), 0) != 0) return "";
  return fmt::format("/proc/self/fd/{}", file);
}

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

}  // namespace

int run_on_hosts(const HostsJob& job) {
  const auto hosts = launch::read_host_file(job.hosts);
  if (!hosts) return fail(hosts.status().message, kUsage);
  const auto starter = launch::find_mpi_starter();
  if (!starter) return fail(starter.status().message, kUsage);
  launch::MpiJob mpi;
  mpi.words = job.words;
  mpi.ranks = job.ranks;
  mpi.label = job.label;
  mpi.bind = job.bind;
  mpi.host_file = keep(launch::host_lines(starter->kind, *hosts, job.ranks));
  if (mpi.host_file.empty()) return fail(fmt::format("the host file cannot be kept: {}", std::strerror(errno)));
  mpi.passed = passed_variables(job);
  const base::Status failed =
      platform::become({launch::command_of(*starter, mpi), job.variables, launch::variables_of_starters()});
  return fail(failed.message, kUsage);
}

}  // namespace weir::tool
