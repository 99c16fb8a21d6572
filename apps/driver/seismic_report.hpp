// SPDX-License-Identifier: Apache-2.0

// What weir run seismic says of the variants that it measured: a table, objects for programs, and whether all agree.
#pragma once

#include <vector>

#include "apps/seismic/input.hpp"
#include "apps/seismic/measure.hpp"
#include "verb.hpp"

namespace weir::tool {

struct SeismicReport {
  apps::seismic::Size size;
  apps::seismic::Plan plan;
  double triad_gb_per_s = 0;
  std::vector<apps::seismic::Measurement> measured;

  // Adds the objects, prints the table, and says whether all agree; the exit status.
  int show(Global& global) const;
};

}  // namespace weir::tool
