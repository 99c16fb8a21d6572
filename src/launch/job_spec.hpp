// SPDX-License-Identifier: Apache-2.0

// What a launcher is asked to run.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

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

}  // namespace weir::launch
