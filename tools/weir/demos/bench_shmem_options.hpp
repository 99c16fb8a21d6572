// SPDX-License-Identifier: Apache-2.0

// What weir bench shmem is asked, and the text that explains it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "verb.hpp"

namespace weir::tool {

struct ShmemSettings {
  std::string benches, libraries;  // "": all
  std::string ranks = "2,8";
  std::vector<std::string> compilers, launchers;  // NAME=COMMAND
  std::string plot;
  bool quick = false;
  int rounds = 0;  // 0: as many as usual
  int timeout_s = 60;
};

int run_bench_shmem(const ShmemSettings& settings, Global& global);

CLI::App& add_bench_shmem(CLI::App& parent, Global& global, std::function<int(const ShmemSettings&, Global&)> run);

}  // namespace weir::tool
