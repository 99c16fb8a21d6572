// SPDX-License-Identifier: Apache-2.0

// Hosts: those of `weir run --hosts FILE`, and the mpirun by which programs get there: as command lines. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "launch/host_file.hpp"
#include "launch/mpi_starter.hpp"
#include "platform/process.hpp"

namespace weir::tool {

class Hosts {
 public:
  // Of the ranks of a job. bad_input: the file; not_found: no mpirun.
  static base::Result<Hosts> find(const std::string& file, std::uint32_t ranks);

  // Those that run a rank.
  const std::vector<launch::Host>& used() const noexcept { return used_; }

  // Each holds a file open that its program alone gets; the process that starts it has one thread. io_error.
  // The ranks of the job; its host file is filled in here.
  base::Result<platform::Command> job(launch::MpiJob job) const;
  // One process, on one of the hosts.
  base::Result<platform::Command> on(const launch::Host& host, std::vector<std::string> words) const;
  // One process on each host.
  base::Result<platform::Command> on_each(std::vector<std::string> words) const;

 private:
  Hosts(launch::MpiStarter starter, std::vector<launch::Host> used)
      : starter_(std::move(starter)), used_(std::move(used)) {}

  launch::MpiStarter starter_;
  std::vector<launch::Host> used_;  // with how many ranks each has
};

}  // namespace weir::tool
