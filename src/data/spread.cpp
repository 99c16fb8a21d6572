// SPDX-License-Identifier: Apache-2.0

#include "data/spread.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "data/tiers.hpp"

namespace weir::data {

namespace {

enum class Fit { loosest, tightest };

struct Node {
  std::size_t room;
  Arena::Sum taken;

  std::size_t left() const noexcept { return room - taken.bytes(); }
  bool fits(std::size_t size) const noexcept {
    Arena::Sum with = taken;
    with.add(size);
    return with.bytes() <= room;
  }
};

bool spread_as(Fit fit, std::span<const std::size_t> sizes, std::span<const std::size_t> order,
               std::span<const std::size_t> room, std::span<int> node) {
  std::vector<Node> nodes;
  for (const std::size_t bytes : room) nodes.push_back({bytes, {}});
  for (const std::size_t i : order) {
    Node* best = nullptr;
    for (Node& n : nodes) {
      if (!n.fits(sizes[i])) continue;
      const bool better = best == nullptr || (fit == Fit::loosest ? n.left() > best->left() : n.left() < best->left());
      if (better) best = &n;
    }
    if (best == nullptr) return false;
    best->taken.add(sizes[i]);
    node[i] = static_cast<int>(best - nodes.data());
  }
  return true;
}

}  // namespace

bool spread(std::span<const std::size_t> sizes, std::span<const std::size_t> room, std::span<int> node) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  return spread_as(Fit::loosest, sizes, order, room, node) || spread_as(Fit::tightest, sizes, order, room, node);
}

}  // namespace weir::data
