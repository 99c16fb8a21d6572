// SPDX-License-Identifier: Apache-2.0

// The process of a rank, and the launcher's ends of what connects the two. The launcher's thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "platform/process.hpp"

namespace weir::launch {

struct RankProcess {
  platform::Process process;
  platform::Descriptor out, error;  // what it prints; reading does not wait
  platform::Descriptor control;     // control.hpp
};

struct RankCommand {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> variables;
  std::vector<int> os_cpus;                                 // that it may run on; empty: all
  bool reads_input = false;                                 // our standard input is its; otherwise it has none
  bool out_is_terminal = false, error_is_terminal = false;  // as it sees them
  std::function<void()> before = {};                        // in the new process
};

// not_found when the program cannot be run, no_space when there can be no more processes or descriptors. It dies with
// the calling thread.
base::Result<RankProcess> start_rank(const RankCommand& command);

// Variables by which Open MPI, MPICH, Slurm and an outer weir run tell a process its rank: a program that is started by
// another starter must not get them. As platform::Command::removed.
const std::vector<std::string>& variables_of_starters();

}  // namespace weir::launch
