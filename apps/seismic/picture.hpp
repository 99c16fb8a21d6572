// SPDX-License-Identifier: Apache-2.0

// A picture of the wave field: velocity in red (up) and blue (down) over the ground in grey.
#pragma once

#include "apps/common/png.hpp"
#include "apps/seismic/problem.hpp"

namespace weir::apps::seismic {

// At most `longest` pixels a side; of the cells that fall on a pixel the strongest wave is shown. Full colour is what
// only one cell in a thousand exceeds.
Picture draw(const Problem& problem, int longest = 1024);

}  // namespace weir::apps::seismic
