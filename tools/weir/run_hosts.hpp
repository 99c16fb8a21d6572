// SPDX-License-Identifier: Apache-2.0

// weir run -n N --hosts FILE PROGRAM: becomes the mpirun of the MPI that is found; with a trace it waits for it, and
// brings the traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/binding.hpp"
#include "verb.hpp"

namespace weir::tool {

struct HostsJob {
  std::vector<std::string> words;  // the program and its arguments
  std::uint32_t ranks = 1;
  std::string hosts;  // file
  bool label = false;
  std::optional<launch::BindRanks> bind;
  std::vector<std::pair<std::string, std::string>> variables;
};

// Exit status. Without global.options.trace it comes back only when it fails.
int run_on_hosts(const HostsJob& job, Global& global);

}  // namespace weir::tool
