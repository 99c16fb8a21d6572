// SPDX-License-Identifier: Apache-2.0

// What weir bench bddt is asked, and the text that explains it.
#pragma once

#include <functional>
#include <string>

#include "verb.hpp"

namespace weir::tool {

struct BddtSettings {
  std::string programs, sizes, runtimes, workers;  // "": as the help says
  std::string plot;
  bool quick = false, full = false;
  int rounds = 0, repeat = 0;  // 0: as many as usual
  int timeout_s = 120;
};

int run_bench_bddt(const BddtSettings& settings, Global& global);

CLI::App& add_bench_bddt(CLI::App& parent, Global& global, std::function<int(const BddtSettings&, Global&)> run);

}  // namespace weir::tool
