// SPDX-License-Identifier: Apache-2.0

// What weir run seismic is asked, and the text that explains it.
#pragma once

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

const char* seismic_text();

// All but those of the runtime. `settings` lives as long as `verb`.
void add_seismic_options(CLI::App& verb, SeismicSettings& settings);

}  // namespace weir::tool
