// SPDX-License-Identifier: Apache-2.0

// What weir bench prk is asked, and the text that explains it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/prk/plan.hpp"
#include "verb.hpp"

namespace weir::tool {

struct PrkSettings {
  bench::PrkRequest request;
  std::string plot;
};

int run_bench_prk(const PrkSettings& settings, Global& global);

CLI::App& add_bench_prk(CLI::App& parent, Global& global, std::function<int(const PrkSettings&, Global&)> run);

}  // namespace weir::tool
