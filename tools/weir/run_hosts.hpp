// SPDX-License-Identifier: Apache-2.0

// weir run -n N --hosts FILE PROGRAM: becomes the mpirun of the MPI that is found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/binding.hpp"

namespace weir::tool {

struct HostsJob {
  std::vector<std::string> words;  // the program and its arguments
  std::uint32_t ranks = 1;
  std::string hosts;  // file
  bool label = false;
  std::optional<launch::BindRanks> bind;
  std::vector<std::pair<std::string, std::string>> variables;
};

// Comes back only when it fails, with the exit status.
int run_on_hosts(const HostsJob& job);

}  // namespace weir::tool
