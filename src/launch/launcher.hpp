// SPDX-License-Identifier: Apache-2.0

// Launcher: runs a program as the ranks of a job on this host, from their start to the end of the last.
//
// One job at a time in a process, on a thread that is the only one (signals and children are the process's): for the
// command line. The first rank that fails is named, and the others are ended within two seconds.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "launch/binding.hpp"

namespace weir::launch {

struct JobSpec {
  std::vector<std::string> words;  // the program, found as a shell does, and its arguments
  std::uint32_t ranks = 1;
  std::vector<Share> shares = {};  // of each rank; none: no rank is bound
  std::uint32_t host_cores = 0;    // that they have together; 0: not known
  // What else is set in the environment of a rank.
  std::function<std::vector<std::pair<std::string, std::string>>(std::uint32_t rank)> variables = {};
  bool label = false;  // "[3] " before each line that rank 3 prints
  int out = STDOUT_FILENO, error = STDERR_FILENO;
  // A message as it is to stand on standard error, a whole line.
  std::function<std::string(const std::string& message)> as_line = [](const std::string& text) { return text + '\n'; };
};

struct JobEnd {
  int status = 0;            // of the first rank that failed, as a shell says it; of one that aborted the job
  int asked_by = 0;          // the signal by which a user has ended it; 0: none
  bool output_lost = false;  // standard output or error could not be written to
};

// Fails when the program cannot be run, or the ranks cannot all be started; none runs then.
base::Result<JobEnd> run_job(const JobSpec& spec);

}  // namespace weir::launch
