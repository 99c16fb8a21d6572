// SPDX-License-Identifier: Apache-2.0

// What weir run seismic is asked, and the text that explains it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/seismic/solver.hpp"
#include "verb.hpp"

namespace weir::tool {

struct SeismicSettings {
  std::string size;
  bool paper = false;
  std::string model;
  apps::seismic::Index iterations = 64;
  int repetitions = 3;
  double rest_seconds = 0;
  std::vector<std::string> variants;
  int threads = 0;
  apps::seismic::Index block_rows = 0;
  apps::seismic::TilingRequest tiling;
  std::string image;  // empty: weir-seismic.png
  bool no_image = false;
  apps::seismic::Index image_iterations = -1;
};

// The verb, which does `run`. `variants`: the names of those that there are.
CLI::App& add_seismic(CLI::App& parent, Global& global, const std::vector<std::string>& variants,
                      std::function<int(const SeismicSettings&, Global&)> run);

}  // namespace weir::tool
