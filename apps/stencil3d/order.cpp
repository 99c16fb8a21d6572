// SPDX-License-Identifier: Apache-2.0

#include "apps/stencil3d/order.hpp"

#include <algorithm>

namespace weir::apps::stencil3d {
namespace {

// Blocks from one iteration of a block to the next: its neighbour at z + 1 is a plane ahead. The row more leaves
// workers tasks that do not depend on each other.
Index lag(const Shape& shape) { return shape.blocks[0] * shape.blocks[1] + shape.blocks[0]; }

constexpr Index kAheadPercent = 10;  // of the budget, for blocks that are fetched or written back meanwhile

void add_pass(std::vector<Step>& steps, const Shape& shape, Index first, Index depth, bool forward) {
  const Index count = shape.block_count();
  for (Index step = 0; step < count + (depth - 1) * lag(shape); ++step) {
    for (Index k = 0; k < depth; ++k) {
      const Index at = step - k * lag(shape);
      if (at >= 0 && at < count) steps.push_back({first + k, forward ? at : count - 1 - at});
    }
  }
}

}  // namespace

std::vector<Step> order_of(const Shape& shape, Index depth) {
  std::vector<Step> steps;
  steps.reserve(static_cast<std::size_t>(shape.block_count() * shape.iterations));
  const Index passes = (shape.iterations + depth - 1) / depth;
  Index first = 0;
  for (Index pass = 0; pass < passes; ++pass) {
    // As equal as can be: the last pass is not much thinner than the others.
    const Index iterations = (shape.iterations - first) / (passes - pass);
    add_pass(steps, shape, first, iterations, pass % 2 == 0);
    first += iterations;
  }
  return steps;
}

std::vector<Step> naive_order(const Shape& shape) {
  std::vector<Step> steps;
  for (Index k = 0; k < shape.iterations; ++k) add_pass(steps, shape, k, 1, true);
  return steps;
}

Index reuse_depth(const Shape& shape, std::uint64_t budget) {
  if (budget == 0) return 1;
  const auto a_block = static_cast<double>(shape.total_bytes()) / static_cast<double>(shape.block_count());
  const auto blocks = static_cast<Index>(static_cast<double>(budget) * (100 - kAheadPercent) / 100 / a_block);
  return std::clamp<Index>(blocks / lag(shape), 1, shape.iterations);
}

}  // namespace weir::apps::stencil3d
