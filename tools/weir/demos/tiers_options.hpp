// SPDX-License-Identifier: Apache-2.0

// What weir run stencil3d and weir run matmul are asked, and the text that explains it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/matmul/problem.hpp"
#include "apps/stencil3d/problem.hpp"
#include "verb.hpp"

namespace weir::tool {

// What both applications are asked.
struct TiersAsked {
  std::string size;
  std::vector<std::string> variants;
  int repetitions = 1;
  double ratio = 2;
  std::string slow = "file:/tmp";
  std::string order = "reuse";
};

struct Stencil3dAsked : TiersAsked {
  apps::stencil3d::Index side = 64, iterations = 10, sweeps = 20;
};

struct MatmulAsked : TiersAsked {
  apps::matmul::Index rows = 4096, tile = 512;
};

// The verbs, which do `run`.
CLI::App& add_stencil3d(CLI::App& parent, Global& global, std::function<int(const Stencil3dAsked&, Global&)> run);
CLI::App& add_matmul(CLI::App& parent, Global& global, std::function<int(const MatmulAsked&, Global&)> run);

}  // namespace weir::tool
