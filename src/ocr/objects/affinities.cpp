// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/affinities.hpp"

#include <algorithm>
#include <vector>

#include "base/forever.hpp"

namespace weir::ocr {

namespace {

// How many affinities there are up to each rank, itself among them.
std::vector<std::uint64_t>& ends() noexcept {
  static base::Forever<std::vector<std::uint64_t>> all;
  return all.value;
}

std::uint64_t first_of(std::size_t rank) noexcept { return rank == 0 ? 0 : ends()[rank - 1]; }

}  // namespace

void set_domains(std::span<const std::uint32_t> of_ranks) {
  ends().clear();
  std::uint64_t sum = 0;
  for (const std::uint32_t domains : of_ranks) ends().push_back(sum += domains);
}

std::uint64_t affinity_count() noexcept { return ends().back(); }

Guid affinity_at(std::uint64_t number) noexcept {
  const auto rank = static_cast<std::size_t>(std::upper_bound(ends().begin(), ends().end(), number) - ends().begin());
  return affinity_of(Rank{static_cast<std::uint32_t>(rank)}, static_cast<int>(number - first_of(rank)));
}

bool is_affinity(Guid guid) noexcept {
  const std::size_t rank = guid.generation();
  return guid.kind() == Kind::affinity && rank < ends().size() && guid.index() < ends()[rank] - first_of(rank);
}

}  // namespace weir::ocr
