// SPDX-License-Identifier: Apache-2.0

#include "hosts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "launch/rank_process.hpp"
#include "platform/descriptor.hpp"
#include "platform/file_io.hpp"

namespace weir::tool {

namespace {

using base::Code;
using base::Status;
using launch::Host;
using platform::Command;

// In a file without a name, so that nothing is left behind. The command holds it open, and no other program gets it.
base::Result<Command> command(const launch::MpiStarter& starter, std::span<const Host> hosts, launch::MpiJob job) {
  const std::string text = launch::host_lines(starter.kind, hosts, job.ranks);
  const auto file = std::make_shared<platform::Descriptor>(memfd_create("hosts", MFD_CLOEXEC));
  if (!file->is_open() || platform::write_all(file->number(), text.data(), text.size(), 0) != 0)
    return Status{Code::io_error, fmt::format("the host file cannot be kept: {}", std::strerror(errno))};
  job.host_file = fmt::format("/proc/self/fd/{}", file->number());
  return Command{.words = launch::command_of(starter, job),
                 .removed = launch::variables_of_starters(),
                 .prepare = [file] { return fcntl(file->number(), F_SETFD, 0) == 0; }};
}

launch::MpiJob job_of(std::vector<std::string> words, std::size_t ranks) {
  launch::MpiJob job;
  job.words = std::move(words);
  job.ranks = static_cast<std::uint32_t>(ranks);
  return job;
}

}  // namespace

base::Result<Hosts> Hosts::find(const std::string& file, std::uint32_t ranks) {
  const auto hosts = launch::read_host_file(file);
  if (!hosts) return hosts.status();
  auto starter = launch::find_mpi_starter();
  if (!starter) return starter.status();
  const std::vector<std::uint32_t> counts = launch::ranks_of(*hosts, ranks);
  std::vector<Host> used;
  for (std::size_t i = 0; i < hosts->size(); ++i) {
    if (counts[i] > 0) used.push_back({(*hosts)[i].name, counts[i]});
  }
  return Hosts(*std::move(starter), std::move(used));
}

base::Result<Command> Hosts::job(launch::MpiJob job) const { return command(starter_, used_, std::move(job)); }

base::Result<Command> Hosts::on(const Host& host, std::vector<std::string> words) const {
  const Host once{host.name, 1};
  return command(starter_, {&once, 1}, job_of(std::move(words), 1));
}

base::Result<Command> Hosts::on_each(std::vector<std::string> words) const {
  std::vector<Host> once = used_;
  for (Host& host : once) host.slots = 1;
  return command(starter_, once, job_of(std::move(words), once.size()));
}

}  // namespace weir::tool
