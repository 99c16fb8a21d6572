// SPDX-License-Identifier: Apache-2.0

// In which order the blocks are worked off. Any order here keeps the dependences; the runtime finds them again from the
// footprints.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/stencil3d/problem.hpp"

namespace weir::apps::stencil3d {

struct Step {
  Index iteration = 0;
  Index block = 0;
  friend bool operator==(const Step&, const Step&) = default;
};

// Passes of `depth` iterations each. A pass goes through the blocks once; iteration k + 1 of a block comes a plane and
// a row of blocks after iteration k, which is as close as its neighbours allow. Passes alternate in direction, so that
// one begins with what the last one left in the fast tier. depth 1 is iteration by iteration.
std::vector<Step> order_of(const Shape& shape, Index depth);

// Iteration by iteration, always from the first block on: what a plain program does.
std::vector<Step> naive_order(const Shape& shape);

// The largest depth whose blocks in flight fit in `budget` bytes, with some to spare for what is fetched ahead; 1 to
// the number of iterations. 0 bytes: everything is resident, depth 1.
Index reuse_depth(const Shape& shape, std::uint64_t budget);

}  // namespace weir::apps::stencil3d
